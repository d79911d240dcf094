import type { App } from '../app';

/** What lesson.js gives. */
export interface LessonView {
    show(hash: string): void;
    hide(): void;
}

export const isLesson = (): boolean => /^#lesson(\/|$)/.test(location.hash);

const waiting: (() => void)[] = [];

/** Now, or when the lesson is left: what would move unseen below it. */
export function outsideLesson(act: () => void): void {
    if (isLesson()) waiting.push(act);
    else act();
}

/** The lesson lies over the page where the address says so; its code comes then, and not before. */
export function followLesson(app: App, showTool: (tab: string) => void): void {
    let view: Promise<LessonView> | null = null;
    let before = '';
    // A bundle of its own: a name that the bundler does not follow.
    const bundle = new URL('lesson.js', document.baseURI).href;
    const leave = async (tab?: string): Promise<void> => {
        history.pushState(null, '', `${location.pathname}${location.search}${before}`);
        await follow();
        if (!tab) return;
        if (!app.session.current) await app.session.sample('humanoid', 1, ['--pose', 't']);
        showTool(tab);
    };
    let played = false;
    const follow = async (): Promise<void> => {
        const { player } = app.viewer;
        if (!isLesson()) {
            before = location.hash;
            (await view)?.hide();
            if (played) player.play(true);
            played = false;
            for (const act of waiting.splice(0)) act();
            return;
        }
        if (player.playing) {
            played = true;
            player.play(false);
        }
        view ??= import(bundle).then((code: { openLesson: (app: App, leave: (tab?: string) => Promise<void>) => Promise<LessonView> }) => code.openLesson(app, leave));
        view.catch((error: Error) => {
            view = null;
            app.session.notice.value = { kind: 'error', title: 'The lesson did not come', text: error.message };
        });
        const shown = await view;
        if (isLesson()) shown.show(location.hash);
    };
    addEventListener('hashchange', () => void follow().catch(() => {}));
    void follow().catch(() => {});
}
