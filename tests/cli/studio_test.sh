#!/bin/bash
# limber studio: what its server gives out and what it does not. The page here is a stand-in; tests/studio has the real one.
. "$(dirname "$0")/harness.sh"
command -v curl >/dev/null || exit 77
unset LIMBER_STUDIO

site=$WORK/site
mkdir -p "$site/inner" "$WORK/art/textures"
for name in index.html studio.js worker.js style.css limber.wasm .hidden inner/deep.js; do echo "$name" >"$site/$name"; done
echo hush >"$WORK/secret"
ln -s ../secret "$site/out.js"
ln -s .. "$site/up"

work=$WORK/art
printf 'mtllib a b.mtl\nmtllib lost.mtl\nmtllib out.mtl\nmtllib ../secret\n' >"$work/a b.obj"
printf 'map_Kd textures/skin.png\nmap_Ks textures%%2Fgloss.png\nmap_d .\\textures\\mask.png\n' >"$work/a b.mtl"
for name in textures/skin.png textures/gloss.png textures/mask.png other.obj ab.mtl skin.png.old; do echo "$name" >"$work/$name"; done
ln -s ../secret "$work/out.mtl"

# serve ARGUMENT…: starts the server; sets port and server.
serve() {
    server= port=
    : >"$WORK/out"
    "$LIMBER" studio --page "$site" ${any---port 0} --no-open --json "$@" >"$WORK/out" 2>"$WORK/err" </dev/null &
    server=$!
    said="limber studio $*"
    local k
    for k in $(seq 200); do
        port=$(sed -n 's/^  "port": \([0-9]*\),$/\1/p' "$WORK/out")
        [ -z "$port" ] || return 0
        kill -0 "$server" 2>/dev/null || break
        sleep 0.05
    done
    cat "$WORK/err"
    echo "no sockets here"
    exit 77
}

# stop SIGNAL: ends it; it ends well.
stop() {
    kill "-$1" "$server"
    wait "$server" || fail "ended with $? on $1"
}

# gives STATUS TARGET [CURL-ARGUMENT…]: asks for exactly this target; the answer is in $WORK/body and $WORK/head.
gives() {
    local wanted=$1 target=$2 got
    shift 2
    : >"$WORK/body"
    got=$(curl -s --max-time 20 --path-as-is -o "$WORK/body" -D "$WORK/head" -w '%{http_code}' "$@" "http://127.0.0.1:$port$target")
    said="GET $target $*"
    [ "$got" = "$wanted" ] || fail "status $got, expected $wanted"
    ! grep -q hush "$WORK/body" || fail "gives the secret"
}

serve "$work/a b.obj"
prints "\"address\": \"http://127.0.0.1:$port/#file=a%20b.obj\""
says "http://127.0.0.1:$port/#file=a%20b.obj"

# The page.
gives 200 /
holds "$WORK/body" index.html
holds "$WORK/head" "Content-Type: text/html; charset=utf-8"
holds "$WORK/head" "Cache-Control: no-cache"
holds "$WORK/head" "Cross-Origin-Opener-Policy: same-origin"
holds "$WORK/head" "Cross-Origin-Embedder-Policy: require-corp"
holds "$WORK/head" "Cross-Origin-Resource-Policy: same-origin"
holds "$WORK/head" "X-Content-Type-Options: nosniff"
gives 200 '/studio.js?x=1'
holds "$WORK/head" "Content-Type: text/javascript"
gives 200 /limber.wasm
holds "$WORK/head" "Content-Type: application/wasm"
gives 200 /style.css
holds "$WORK/head" "Content-Type: text/css"
gives 200 /limber.wasm --head
holds "$WORK/head" "Content-Length: 12"
gives 200 / -H 'Host: localhost:'"$port"
# The policy that the page has of its own is the server's too.
policy=$(sed -n 's/.*http-equiv="Content-Security-Policy" content="\([^"]*\)".*/\1/p' "$SOURCE/studio/page/src/index.html")
[ -n "$policy" ] || fail "the page has no policy"
holds "$WORK/head" "Content-Security-Policy: $policy; frame-ancestors 'none'"

# What a browser has is not sent again; what changed is, packed where the browser takes it and the page has it so.
gives 200 /studio.js
tag=$(sed -n 's/^ETag: \("[0-9a-f]*"\).*/\1/p' "$WORK/head")
[ "$tag" = "\"$(sha256sum "$site/studio.js" | cut -d' ' -f1)\"" ] || fail "the tag $tag is not that of the contents"
gives 304 /studio.js -H "If-None-Match: $tag"
holds "$WORK/head" "ETag: $tag"
[ ! -s "$WORK/body" ] || fail "what the browser has is sent again"
gives 304 /studio.js -H "If-None-Match: \"other\", W/$tag"
gives 304 /studio.js -H "If-None-Match: $tag" --head
gives 200 /studio.js -H 'If-None-Match: "other"'
gives 200 /studio.js -H "If-None-Match: $(head -c 400 /dev/zero | tr '\0' a)$tag"
echo another >"$site/studio.js"
gives 200 /studio.js -H "If-None-Match: $tag"
holds "$WORK/body" another
echo studio.js >"$site/studio.js"
gzip -9 <"$site/studio.js" >"$site/studio.js.gz"
for accepts in gzip 'zstd, gzip' 'deflate,GZIP,br'; do
    gives 200 /studio.js -H "Accept-Encoding: $accepts"
    holds "$WORK/head" "Content-Encoding: gzip"
    holds "$WORK/head" "Content-Type: text/javascript"
    holds "$WORK/head" "Vary: Accept-Encoding"
    gzip -dc "$WORK/body" | cmp -s - "$site/studio.js" || fail "other bytes when packed"
done
! grep -qF "$tag" "$WORK/head" || fail "packed and plain bytes have one tag"
echo "as brotli has it" >"$site/studio.js.br"
for accepts in br 'gzip, deflate, br, zstd'; do
    gives 200 /studio.js -H "Accept-Encoding: $accepts"
    holds "$WORK/head" "Content-Encoding: br"
    cmp -s "$WORK/body" "$site/studio.js.br" || fail "other bytes than those of the .br"
done
for accepts in deflate 'gzip;q=0' gzipped brotli; do
    gives 200 /studio.js -H "Accept-Encoding: $accepts"
    ! grep -q "Content-Encoding" "$WORK/head" || fail "packed bytes for who takes $accepts"
    holds "$WORK/body" studio.js
done
gives 200 /style.css -H 'Accept-Encoding: gzip'
holds "$WORK/body" style.css

# The file, and what it names.
gives 200 '/file/a%20b.obj' -H 'Accept-Encoding: gzip'
holds "$WORK/head" "Cache-Control: no-store"
! grep -q ETag "$WORK/head" || fail "a file of the user's is kept"
cmp -s "$WORK/body" "$work/a b.obj" || fail "other bytes than the file's"
holds "$WORK/head" "Content-Type: application/octet-stream"
gives 404 /file/textures%2Fskin.png # known once the .mtl is
gives 200 '/file/a%20b.mtl'
gives 200 /file/textures%2Fskin.png
holds "$WORK/body" textures/skin.png
gives 200 /file/textures/gloss.png
gives 200 /file/textures/mask.png
for target in /file/other.obj /file/ab.mtl /file/a /file/skin.png.old /file/skin.png /file/lost.mtl /file/out.mtl /file/textures /file/ /file \
    /out.js /up/secret /up/site/studio.js /inner/deep.js /inner /.hidden /nobody /site/studio.js; do
    case $target in
    /file/) gives 400 "$target" ;;
    *) gives 404 "$target" ;;
    esac
done
echo changed >"$work/a b.obj"
gives 200 '/file/a%20b.obj'
holds "$WORK/body" changed

# Ways out.
for target in /../secret /../../etc/passwd /..%2fsecret /%2e%2e/secret /%2e%2e%2fsecret /%2E%2E%2Fsecret /.%2e/secret \
    //etc/passwd /%2fetc/passwd /file/../secret /file/..%2fsecret /file/%2e%2e%2f%2e%2e%2fetc%2fpasswd /file//etc/passwd \
    '/file/%2Fetc%2Fpasswd' '/..%5csecret' '/..\secret' /%00 /index.html%00.js /./index.html /% /%zz '/a%0d%0aX:y'; do
    gives 400 "$target"
done
gives 404 /%252e%252e%252fsecret

# Others' names, other methods, too much.
gives 403 / -H 'Host: evil.example'
gives 403 / -H "Host: evil.example:$port"
gives 403 / -H "Host: 127.0.0.1:$((port == 65535 ? 1 : port + 1))"
gives 403 / -H "Host: localhost.evil.example:$port"
gives 403 '/file/a%20b.obj' -H 'Host: evil.example'
gives 400 / -H 'Host:'
gives 400 / -X GET -d body
gives 405 / -X POST -d body
holds "$WORK/head" "Allow: GET, HEAD"
gives 405 / -X OPTIONS
gives 405 / -X PUT --data-binary "@$LIMBER"
gives 414 "/$(head -c 1100 /dev/zero | tr '\0' a)"
gives 414 "/$(head -c 20000 /dev/zero | tr '\0' a)"
gives 431 / -H "A: $(head -c 20000 /dev/zero | tr '\0' a)"

# Many at once, while others say nothing or half of it.
exec 5<>"/dev/tcp/127.0.0.1/$port" 6<>"/dev/tcp/127.0.0.1/$port"
printf 'GET / HTTP/1.1\r\nHos' >&6
for k in $(seq 20); do curl -s --max-time 20 "http://127.0.0.1:$port/studio.js" >"$WORK/many.$k" & done
wait $(jobs -p | grep -v "^$server\$")
said="20 at once"
[ "$(cat "$WORK"/many.* | grep -c '^studio.js$')" = 20 ] || fail "some got no answer"
printf 't: localhost:%s\r\n\r\n' "$port" >&6
grep -q index.html <&6 || fail "half a request was not waited for"
exec 5>&- 6>&-

# Answers that are not read: the server keeps a piece of each, not the whole.
if [ -r "/proc/$server/status" ]; then
    head -c 30000000 /dev/zero >"$site/limber.wasm"
    held=()
    for k in $(seq 30); do
        exec {at}<>"/dev/tcp/127.0.0.1/$port"
        printf 'GET /limber.wasm HTTP/1.1\r\nHost: localhost:%s\r\n\r\n' "$port" >&$at
        held+=("$at")
    done
    gives 200 /studio.js
    most=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$server/status")
    said="30 answers that are not read"
    [ "$most" -lt 65536 ] || fail "the server held $most kB"
    # One that is read after all is whole.
    [ "$(timeout 20 cat <&"${held[0]}" | tail -c 30000000 | cmp - "$site/limber.wasm" && echo same)" = same ] || fail "other bytes"
    for at in "${held[@]}"; do exec {at}>&-; done
    echo limber.wasm >"$site/limber.wasm"
fi

# A second one given a port in use says so; given none, it finds another by itself.
expect 1 studio --page "$site" --port "$port" --no-open
says "port $port: "
stop INT

# The skeleton of an Acclaim motion is named by the motion's own name; without a file there is none.
echo motion >"$work/walk.amc"
echo skeleton >"$work/walk.asf"
serve "$work/walk.amc"
gives 200 /file/walk.amc
gives 200 /file/walk.asf
gives 404 /file/a%20b.obj
stop TERM
(cd "$work" && ln -s walk.amc link.amc)
serve "$work/link.amc"
gives 200 /file/link.amc
holds "$WORK/body" motion
stop INT
serve
gives 200 /
gives 404 /file/walk.amc
stop INT

any=
serve
usual=$server usual_port=$port
serve
[ "$port" != "$usual_port" ] || fail "two at one port"
gives 200 /
stop INT
server=$usual
stop INT
unset any

# What makes no sense; and where the page is looked for.
expect 2 studio --page "$site" --port 65536
expect 2 studio --page "$site" --port -1
expect 2 studio a b
expect 3 studio "$WORK/nobody.glb" --page "$site"
says "nobody.glb: expected a file, found nothing"
expect 3 studio "$WORK" --page "$site"
mkdir -p "$WORK/bin" "$WORK/share/limber"
cp "$LIMBER" "$WORK/bin/limber"
LIMBER=$WORK/bin/limber expect 1 studio --no-open
says "$WORK/bin/../share/limber/studio"
says '`./dev studio`'
cp -R "$site" "$WORK/share/limber/studio"
LIMBER=$WORK/bin/limber serve --page ""
stop INT
holds "$WORK/out" '"page": "'"$WORK"'/bin/../share/limber/studio"'
rm "$site/worker.js"
expect 3 studio --page "$site" --no-open
says 'which `./dev studio` builds'
LIMBER_STUDIO=$site expect 3 studio --no-open
