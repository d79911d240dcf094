import type { App } from '../app';

// Who only looks at the first screen does not have everything loaded.
const restMs = 10000;

/** The page is kept for when there is no network: once there is a character with joints, or a while after. */
export function keepOffline({ session }: App): void {
    if (!('serviceWorker' in navigator)) return;
    let asked = false;
    const ask = (): void => {
        if (asked) return;
        asked = true;
        // Where it is refused (a private window) the page works as it did.
        navigator.serviceWorker.register('sw.js', { updateViaCache: 'none' }).catch(() => {});
    };
    setTimeout(ask, restMs);
    session.busy.watch((busy) => busy === null && session.isRigged && ask());
}
