# fzf-tmux in a split, where no terminal is attached.
export TMUX=$(tmux display-message -p '#{socket_path},#{pid},0')
printf 'one\ntwo\n' | timeout 20 fzf-tmux -d 40% -- -f tw
echo "$?"
printf 'one\ntwo\n' | timeout 20 fzf-tmux -r 30% -- -f none
echo "$?"
printf 'one\ntwo\n' | timeout 20 fzf-tmux -l 10 -- -f o
echo "$?"
