import type { App } from '../app';

/** What lesson.js gives. */
export interface LessonView {
    show(hash: string): void;
    hide(): void;
}

const isLesson = (): boolean => /^#lesson(\/|$)/.test(location.hash);

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
    const follow = async (): Promise<void> => {
        if (!isLesson()) {
            before = location.hash;
            (await view)?.hide();
            return;
        }
        view ??= import(bundle).then((code: { openLesson: (app: App, leave: (tab?: string) => Promise<void>) => Promise<LessonView> }) => code.openLesson(app, leave));
        view.catch((error: Error) => {
            view = null;
            app.session.notice.value = { kind: 'error', title: 'The lesson did not come', text: error.message };
        });
        const shown = await view;
        if (isLesson()) shown.show(location.hash);
    };
    addEventListener('hashchange', () => void follow());
    void follow().catch(() => {});
}

export { isLesson };
