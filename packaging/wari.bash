# Completion of `wari` for bash. It contains no list of commands and options, but reads `wari --help`, `wari help
# COMMAND` and `wari rules`, so that it always fits the program.
# shellcheck shell=bash

_wari_commands() { # PROGRAM
    "$1" --help 2>/dev/null | awk '/^commands$/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'
}

# Prints the options of a command: those in the usage and in the list of options. Options in prose and examples may belong
# to another command.
_wari_options() { # PROGRAM COMMAND
    "$1" help "$2" 2>/dev/null |
        awk '
            /^usage:|^  --/ { on = 1 }
            /^$|^  [^ -]/ { on = 0 }
            on {
                while (match($0, /--[a-z][a-z-]*/)) {
                    print substr($0, RSTART, RLENGTH)
                    $0 = substr($0, RSTART + RLENGTH)
                }
            }'
    echo --help
}

# Prints the value of an option and the first line of its description: "DIR folder of the database". Prints nothing if the
# option has no value.
_wari_value() { # PROGRAM COMMAND OPTION
    "$1" help "$2" 2>/dev/null | awk -v option="$3" '
        value != "" { sub(/^ +/, ""); print value, $0; exit }
        /^  --/ && match($0, option " [A-Z][A-Z0-9]*") {
            value = substr($0, RSTART + length(option) + 1, RLENGTH - length(option) - 1)
            if (match($0, /[^ ]  +/)) { print value, substr($0, RSTART + RLENGTH); exit }
        }'
}

# Prints the names of rule sets and presets, or of cycle rules: the lines below the headings that are indented by two blanks.
_wari_names() { # PROGRAM rules|cycle
    "$1" rules 2>/dev/null | awk -v kind="$2" '
        /^[A-Z]/ { part = $1 == "Endless" ? "cycle" : $1 == "A" ? "" : "rules"; next }
        part == kind && /^  [a-z]/ && !seen[$1]++ { print $1 }'
}

# Prints the words of a list such as "auto (default), portable, avx2; more": the text up to the first ":" or ";", if that is
# only a list.
_wari_listed() { # TEXT
    local text
    text=$(sed -E 's/ \([^)]*\)//g; s/[:;].*//; s/,? or /, /g; s/, */,/g' <<<"$1")
    [[ $text =~ ^[a-z0-9-]+(,[a-z0-9-]+)+$ ]] && tr ',' '\n' <<<"$text"
}

_wari() {
    local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} value=
    local words=
    COMPREPLY=()

    if [ "$COMP_CWORD" -eq 1 ]; then
        words="$(_wari_commands "$program") help --help --version"
    elif [ "$command" = help ]; then
        words=$(_wari_commands "$program")
    elif [ "$command" = rules ] && [[ $word$before != *--* ]]; then
        words=$(_wari_names "$program" rules)
    elif [[ $word == -* ]]; then
        words=$(_wari_options "$program" "$command")
    elif [[ $before == --* ]]; then
        value=$(_wari_value "$program" "$command" "$before")
        case "$before $value" in
        *" DIR "*)
            mapfile -t COMPREPLY < <(compgen -d -- "$word")
            compopt -o filenames 2>/dev/null
            return
            ;;
        --format*) # an unknown format: the message lists the known ones
            words=$("$program" "$command" --format '?' 2>&1 </dev/null | sed -n 's/.*choose one of //p')
            words=${words//,/}
            ;;
        --rules* | --with\ *) words=$(_wari_names "$program" rules) ;;
        --cycle* | --with-cycle*) words=$(_wari_names "$program" cycle) ;;
        *) words=$(_wari_listed "${value#* }") ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

# If there is nothing to offer, file names are completed.
complete -o default -F _wari wari
