#!/bin/bash
# usage: page.sh DOCUMENT.md
# Every command that the document shows works as shown, and every C program in it compiles and runs.
# In a ```console block the lines that begin with "$ " are commands, in a ```sh block all lines are. A document is
# one session in a folder of its own, which looks like the root of the repository. A line that ends in "# exits N" must
# exit N. ./dev, git and cmake are not run from here; of ./dev it is checked that the verb exists.
set -u
document=$1
source=${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${LIMBER_BUILD:-$source/build/dev}
work=$(mktemp -d "$build/page.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0
commands=0

new_session() {
    mkdir -p "$work/root/build" "$work/root/out"
    local entry
    for entry in "$source"/*; do
        case $(basename "$entry") in
            build | out) ;;
            *) ln -s "$entry" "$work/root/" ;;
        esac
    done
    ln -s "$build/limber" "$work/root/build/limber"
}

complain() {
    echo "$document: $1"
    sed 's/^/    /' "$work/said" | head -n 20
    failed=1
}

run_line() {
    local line=$1 want=0 code verb
    case $line in
        '' | '#'*) return ;;
        'git '* | 'cd '* | 'sudo '* | 'cmake '*) return ;;
        './dev'*)
            verb=$(echo "$line" | awk '{ print $2 }')
            if [ -n "${verb%%#*}" ] && ! grep -q "^verb_$verb()" "$source/dev"; then
                : > "$work/said"
                complain "./dev has no verb $verb"
            fi
            return
            ;;
    esac
    if [[ $line =~ \#\ exits\ ([0-9]+)$ ]]; then want=${BASH_REMATCH[1]}; fi
    commands=$((commands + 1))
    (cd "$work/root" && PATH="$build:$PATH" timeout 120 bash -c "$line") > "$work/said" 2>&1 < /dev/null
    code=$?
    [ "$code" = "$want" ] || complain "exits $code, not $want: $line"
}

run_program() {
    commands=$((commands + 1))
    if ! ${CC:-cc} -std=c17 -Wall -Wextra -I"$source/include" "$work/program.c" "$build/liblimber_os.a" "$build/liblimber.a" -lm -pthread -o "$work/program" > "$work/said" 2>&1; then
        complain "a C program does not compile"
    elif ! (cd "$work/root" && timeout 60 "$work/program") > "$work/said" 2>&1; then
        complain "a C program fails"
    fi
}

new_session
block=
while IFS= read -r line || [ -n "$line" ]; do
    case $line in
        '```'*)
            if [ "$block" = c ] && grep -q 'int main' "$work/program.c"; then run_program; fi
            if [ -n "$block" ]; then block=; else block=${line#'```'}; fi
            [ "$block" != c ] || : > "$work/program.c"
            continue
            ;;
    esac
    case $block in
        console) [[ $line != '$ '* ]] || run_line "${line#'$ '}" ;;
        sh) run_line "$line" ;;
        c) printf '%s\n' "$line" >> "$work/program.c" ;;
    esac
done < "$document"
echo "$commands commands and programs run"
exit $failed
