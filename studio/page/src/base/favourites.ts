import { keep, readKept } from './kept_choice';

const key = 'limber favourites';

/** Names that the user likes best, kept by the browser. */
export class Favourites {
    private readonly names = new Set<string>((readKept(key) ?? '').split('\n').filter((name) => name !== ''));

    has(name: string): boolean {
        return this.names.has(name);
    }

    toggle(name: string): void {
        if (!this.names.delete(name)) this.names.add(name);
        keep(key, [...this.names].join('\n'));
    }
}
