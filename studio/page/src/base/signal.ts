/** A value that tells when it changes. */
export class Signal<T> {
    private readonly listeners = new Set<(value: T) => void>();

    constructor(private current: T) {}

    get value(): T {
        return this.current;
    }

    set value(value: T) {
        this.current = value;
        for (const listener of [...this.listeners]) listener(value);
    }

    /** Calls now and at every change; gives what stops it. */
    watch(listener: (value: T) => void): () => void {
        this.listeners.add(listener);
        listener(this.current);
        return () => this.listeners.delete(listener);
    }
}
