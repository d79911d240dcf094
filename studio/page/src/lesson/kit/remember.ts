/** What takes long to compute and depends on little: made anew when the key is another than the last time. */
export function remember<T>(key: () => string | number, make: () => T): () => T {
    let last: string | number | null = null, value: T;
    return () => {
        const now = key();
        if (now !== last) {
            value = make();
            last = now;
        }
        return value;
    };
}
