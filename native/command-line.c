/* Flags and words of the command line (client/cli.ts). */
#include "launcher.h"
#include <stdlib.h>
#include <string.h>

static int takes_value(char flag)
{
	return strchr("cfLST", flag) != NULL;
}

/* False for what Node had better look at: mistakes, help, versions, -CC. */
int parse_flags(struct call *call, int argc, char **argv)
{
	int at = 1;
	call->full_argv = argv;
	call->socket_name = "default";
	call->configs = must(calloc((size_t)argc + 1, sizeof *call->configs));
	for (; at < argc; at++) {
		const char *word = argv[at];
		if (strcmp(word, "--") == 0) {
			at++;
			break;
		}
		if (word[0] != '-' || word[1] == '\0')
			break;
		for (int i = 1; word[i] != '\0'; i++) {
			char flag = word[i];
			const char *value;
			if (flag == '2')
				call->colors256 = 1;
			else if (flag == 'N')
				call->no_start = 1;
			else if (flag == 'u')
				call->utf8 = 1;
			else if (flag == 'v')
				call->verbose = 1;
			else if (flag == 'C' && !call->control)
				call->control = 1;
			else if (flag != 'l' && flag != 'q' && flag != 'D' && !takes_value(flag))
				return 0;
			if (!takes_value(flag))
				continue;
			value = word[i + 1] != '\0' ? &word[i + 1] : argv[++at];
			if (value == NULL || flag == 'c')
				return 0;
			if (flag == 'L')
				call->socket_name = value;
			else if (flag == 'S')
				call->socket_path = value;
			else if (flag == 'f')
				call->configs[call->config_count++] = (char *)value;
			break;
		}
	}
	call->argv = argv + at;
	return 1;
}

int is_own_word(const char *word)
{
	static const char *const words[] = { "ask", "flow", "mcp", "doctor", "upgrade-server", "install-shim", "help" };
	for (size_t i = 0; word != NULL && i < sizeof words / sizeof *words; i++)
		if (strcmp(word, words[i]) == 0)
			return 1;
	return 0;
}

/* A command that starts a server, its alias, or a beginning that no other command shares: client/cli.ts. */
static int is_starter(const char *name, size_t length)
{
	static const struct {
		const char *name;
		size_t shortest;
	} starters[] = { { "new-session", 5 }, { "attach-session", 1 }, { "start-server", 4 }, { "list-keys", 6 },
		{ "list-commands", 7 } };
	/* The others begin the names. */
	static const char *const aliases[] = { "new", "lsk", "lscm", "resurrect" };
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (length == strlen(aliases[i]) && strncmp(name, aliases[i], length) == 0)
			return 1;
	for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
		if (length >= starters[i].shortest && length <= strlen(starters[i].name) &&
		    strncmp(name, starters[i].name, length) == 0)
			return 1;
	return 0;
}

int starts_server(char **argv)
{
	int is_name = 1;
	if (argv[0] == NULL)
		return 1;
	for (; *argv != NULL; argv++) {
		size_t length = strlen(*argv);
		int ends = length > 0 && (*argv)[length - 1] == ';';
		if (is_name && is_starter(*argv, ends ? length - 1 : length))
			return 1;
		is_name = ends && !(length > 1 && (*argv)[length - 2] == '\\');
	}
	return 0;
}
