/** What the style calls its colours; a and on are of data, and tell things apart in light and dark. */
export type ColorName = 'text' | 'quiet' | 'line' | 'ground' | 'panel' | 'a' | 'b' | 'c' | 'd' | 'good' | 'bad' | 'skin' | 'bone';

const cache = new Map<ColorName, string>();
let probe: HTMLElement | null = null;

/** As the browser shows it now: rgb(…). */
export function color(name: ColorName): string {
    const known = cache.get(name);
    if (known) return known;
    const host = document.querySelector('.lesson') ?? document.body;
    if (!probe || !probe.isConnected) {
        probe = document.createElement('span');
        probe.hidden = true;
        host.append(probe);
    }
    probe.style.color = `var(--${name})`;
    const value = getComputedStyle(probe).color;
    cache.set(name, value);
    return value;
}

export function forgetColors(): void {
    cache.clear();
}

/** Red, green and blue from 0 to 1. */
export function rgb(name: ColorName): [number, number, number] {
    const numbers = color(name).match(/[\d.]+/g)!.map(Number);
    return [numbers[0]! / 255, numbers[1]! / 255, numbers[2]! / 255];
}

export function mix(a: readonly number[], b: readonly number[], t: number): [number, number, number] {
    return [0, 1, 2].map((k) => a[k]! + (b[k]! - a[k]!) * t) as [number, number, number];
}

const rampStops = [[0.35, 0.38, 0.48], [0.27, 0.38, 0.69], [0.16, 0.56, 0.72], [0.34, 0.72, 0.44], [0.91, 0.77, 0.27], [0.88, 0.27, 0.18]] as const;
const rampPlaces = [0, 0.01, 0.25, 0.5, 0.75, 1];

/** From cold to hot, as the page shows weights. */
export function ramp(x: number): [number, number, number] {
    const k = Math.max(0, Math.min(4, rampPlaces.findIndex((position) => x <= position) - 1));
    return mix(rampStops[k]!, rampStops[k + 1]!, Math.max(0, Math.min(1, (x - rampPlaces[k]!) / (rampPlaces[k + 1]! - rampPlaces[k]!))));
}
