/* Goes on as the program of Node, which knows all that this one does not. */
#include "launcher.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void file_in_dist(char *to, const char *name)
{
	if (snprintf(to, PATH_MAX, "%s/%s", dist, name) >= PATH_MAX) {
		fputs("mplex: path too long\n", stderr);
		exit(1);
	}
}

/* Variables that change how Node starts travel under another name: protocol/node-environ.ts. */
void hide_node_variables(void)
{
	static const char *const names[] = { "NODE_OPTIONS", "NODE_EXTRA_CA_CERTS" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char kept[64];
		const char *value = getenv(names[i]);
		if (value == NULL)
			continue;
		snprintf(kept, sizeof kept, "MPLEX_KEPT_%s", names[i]);
		setenv(kept, value, 1);
		unsetenv(names[i]);
	}
}

void exec_node(char **argv)
{
	argv[0] = NODE_PATH;
	execv(NODE_PATH, argv);
	argv[0] = "node";
	execvp("node", argv);
}

/* Goes on as `node dist/mplex.js ARG...`. `launch` is client/launch.ts's word on what has happened already, or NULL. */
void become_node(const struct call *call, const char *launch)
{
	char script[PATH_MAX];
	int count = 0;
	char **argv;
	while (call->full_argv[count] != NULL)
		count++;
	argv = must(calloc((size_t)count + 2, sizeof *argv));
	file_in_dist(script, "mplex.js");
	argv[1] = script;
	for (int i = 1; i < count; i++)
		argv[i + 1] = call->full_argv[i];
	if (call->as_tmux)
		setenv("MPLEX_CALLED_AS", "tmux", 1);
	if (launch != NULL)
		setenv("MPLEX_LAUNCH", launch, 1);
	hide_node_variables();
	exec_node(argv);
	fprintf(stderr, "mplex: can't run node: %s\n", strerror(errno));
	exit(127);
}
