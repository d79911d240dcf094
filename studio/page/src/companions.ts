import { extension, stem } from './base/shell';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function uris(json: string): string[] {
    const parts = JSON.parse(json) as { buffers?: { uri?: string }[]; images?: { uri?: string }[] };
    return [...(parts.buffers ?? []), ...(parts.images ?? [])].flatMap(({ uri }) => (uri && !uri.startsWith('data:') ? [decodeURIComponent(uri)] : []));
}

// As paths of an address have them: some exporters write backslashes.
const plain = (name: string): string => name.replaceAll('\\', '/').replace(/^(\.\/+)+/, '');

/** The files that a file needs and names: buffers and pictures of a glTF, materials of an OBJ and their pictures, the skeleton of an AMC. */
export function companions(name: string, bytes: Uint8Array): string[] {
    return named(name, bytes).map(plain);
}

function named(name: string, bytes: Uint8Array): string[] {
    switch (extension(name)) {
        case 'gltf':
            try {
                return uris(text(bytes));
            } catch {
                // What is wrong with it the command tells better.
                return [];
            }
        case 'obj':
            return [...text(bytes).matchAll(/^mtllib[ \t]+(.+?)[ \t\r]*$/gm)].map((match) => match[1]!);
        case 'mtl':
            return [...text(bytes).matchAll(/^[ \t]*map_\w+[ \t]+(?:.*[ \t])?(\S+?)[ \t\r]*$/gm)].map((match) => match[1]!);
        case 'amc':
            return [`${stem(name)}.asf`];
        default:
            return [];
    }
}
