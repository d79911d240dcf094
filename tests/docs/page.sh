#!/bin/bash
# usage: page.sh DOCUMENT.md
# Every command that the document shows works as shown, and every C program in it compiles and runs.
# In a ```console block the lines that begin with "$ " are commands, in a ```sh block all lines are. A document has
# a folder of its own, which looks like the root of the repository. A line that ends in "# exits N" must
# exit N. ./dev, git and cmake are not run from here; of ./dev it is checked that the verb exists.
# What a console block shows below a command is among what the command says, line by line; an ellipsis stands for
# any text (times, sizes that a machine decides), a line of nothing else for any lines.
set -u
document=$1
source=${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${LIMBER_BUILD:-$source/build/dev}
scratch=$(mktemp -d "$build/page.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
failed=0
commands=0

make_top() {
    mkdir -p "$scratch/top/build" "$scratch/top/out"
    local entry
    for entry in "$source"/*; do
        case $(basename "$entry") in
            build | out) ;;
            *) ln -s "$entry" "$scratch/top/" ;;
        esac
    done
    ln -s "$build/limber" "$scratch/top/build/limber"
}

complain() {
    echo "$document: $1"
    sed 's/^/    /' "$scratch/said" | head -n 20
    failed=1
}

run_line() {
    local line=$1 want=0 code verb
    case $line in
        '' | '#'*) return ;;
        'git '* | 'cd '* | 'sudo '* | 'cmake '*) return ;;
        './dev'*)
            verb=$(echo "$line" | awk '{ print $2 }')
            if [ -n "${verb%%#*}" ] && ! grep -q "^verb_${verb//-/_}()" "$source/dev"; then
                : > "$scratch/said"
                complain "./dev has no verb $verb"
            fi
            return
            ;;
    esac
    if [[ $line =~ \#\ exits\ ([0-9]+)$ ]]; then want=${BASH_REMATCH[1]}; fi
    commands=$((commands + 1))
    (cd "$scratch/top" && PATH="$build:$PATH" timeout 120 bash -c "$line") > "$scratch/said" 2>&1 < /dev/null
    code=$?
    [ "$code" = "$want" ] || complain "exits $code, not $want: $line"
}

# check_shown LINE: a line shown below the last command.
check_shown() {
    local pattern
    [ -n "$1" ] && [ "$1" != … ] || return 0
    pattern=$(printf '%s\n' "$1" | sed -e 's/[][\\.*^$+?(){}|]/\\&/g' -e 's/…/.*/g' -e 's/ *$//')
    grep -qxE -- "$pattern *" "$scratch/said" || complain "is not said: $1"
}

run_program() {
    commands=$((commands + 1))
    if ! ${CC:-cc} -std=c17 -Wall -Wextra ${LIMBER_SANITIZE:+-fsanitize=$LIMBER_SANITIZE} -I"$source/include" "$scratch/program.c" "$build/liblimber_os.a" "$build/liblimber.a" -lm -pthread -o "$scratch/program" > "$scratch/said" 2>&1; then
        complain "a C program does not compile"
    # A program that is shown may leave its memory to the end of the process.
    elif ! (cd "$scratch/top" && ASAN_OPTIONS=detect_leaks=0 timeout 60 "$scratch/program") > "$scratch/said" 2>&1; then
        complain "a C program fails"
    fi
}

make_top
block=
while IFS= read -r line || [ -n "$line" ]; do
    case $line in
        '```'*)
            if [ "$block" = c ] && grep -q 'int main' "$scratch/program.c"; then run_program; fi
            if [ -n "$block" ]; then block=; else block=${line#'```'}; fi
            [ "$block" != c ] || : > "$scratch/program.c"
            continue
            ;;
    esac
    case $block in
        console) if [[ $line == '$ '* ]]; then run_line "${line#'$ '}"; else check_shown "$line"; fi ;;
        sh) run_line "$line" ;;
        c) printf '%s\n' "$line" >> "$scratch/program.c" ;;
    esac
done < "$document"
echo "$commands commands and programs run"
exit $failed
