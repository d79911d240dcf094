import { Signal } from './signal';

function read(key: string): string | null {
    try {
        return localStorage.getItem(key);
    } catch {
        return null;
    }
}

/** One of some values, the first until another is chosen; kept by the browser under `key`. `asked` goes before what was kept. */
export class KeptChoice<T extends string> extends Signal<T> {
    constructor(private readonly key: string, values: readonly [T, ...T[]], asked: string | null = null) {
        const before = asked ?? read(key);
        super(values.find((value) => value === before) ?? values[0]);
    }

    choose(value: T): void {
        this.value = value;
        try {
            localStorage.setItem(this.key, value);
        } catch {
            // A browser that keeps nothing asks again.
        }
    }
}
