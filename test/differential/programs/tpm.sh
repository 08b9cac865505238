# Debian's tmux-plugin-manager with plugins that are there, and themes of tmux-themepack-jimeh where it is installed.
. "$(dirname "$0")/waits.sh"
manager=/usr/share/tmux-plugin-manager
theme=/usr/share/tmux/theme-pack-jimeh/powerline/default/cyan.tmuxtheme
mkdir -p "$HOME/.tmux/plugins/one" "$HOME/.tmux/plugins/two"
printf '#!/bin/sh\ntmux set-option -g @one "$(tmux show-option -gv base-index)"\ntmux bind-key C-y display-message one\n' >"$HOME/.tmux/plugins/one/one.tmux"
printf '#!/bin/sh\ntmux set-option -gq @two "$(tmux list-keys | grep -c display-message.one)"\n' >"$HOME/.tmux/plugins/two/two.tmux"
chmod +x "$HOME"/.tmux/plugins/*/*.tmux
cat >"$HOME/.tmux.conf" <<X
set -g @plugin 'one'
set -g @plugin 'me/two'
run '$manager/tpm'
if '[ -f $theme ]' 'source-file $theme'
X
tmux source-file "$HOME/.tmux.conf"
comes 1 tmux show-option -gqv @two
tmux show-option -gqv @one
tmux show-environment -g TMUX_PLUGIN_MANAGER_PATH
tmux list-keys -T prefix | grep -E 'install_plugins|update_plugins|clean_plugins|C-y'
$manager/bin/install_plugins
$manager/bin/clean_plugins
tmux show-options -g | grep -E '^(status|message|window-status)' | sort
