# Completion of hocket's commands, options and values in bash. What there is, it
# asks the program, so that it knows what this version knows.

_hocket_declared() { # KEYWORD: the names of a file's declarations
  local word
  for word in "${COMP_WORDS[@]:2}"; do
    if [ -f "$word" ]; then
      sed -nE "s/^$1 +([A-Za-z_][A-Za-z_0-9]*).*/\1/p" "$word"
    fi
  done
}

_hocket() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local program=${COMP_WORDS[0]} list=
  if [ "$COMP_CWORD" = 1 ]; then
    list=$("$program" --help 2>/dev/null | sed -nE 's/^  ([a-z]+)  .*/\1/p')
    list="$list --help --version"
  else
    case $before in
    --schedule) list=$(_hocket_declared schedule) ;;
    --model) list=$(_hocket_declared model) ;;
    --variant) list=$(_hocket_declared variant) ;;
    --train) list=$(_hocket_declared train) ;;
    --function) list="forward loss" ;;
    --from | --emit)
      list=$("$program" stages 2>/dev/null | sed -E 's/ .*//')
      [ "$before" = --from ] || list="$list shared"
      ;;
    *)
      case $word in
      -*)
        list=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null |
          sed -nE 's/^  (--?[A-Za-z0-9-]+).*/\1/p')
        ;;
      esac
      ;;
    esac
  fi
  if [ -n "$list" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$list" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -X '!*.hkt' -- "$word"
      compgen -d -S / -- "$word")
  fi
}

complete -o nospace -o filenames -F _hocket hocket
