import type { App } from '../app';
import { bytes, button, download } from '../base/controls';
import { h } from '../base/dom';
import { zip } from '../base/zip';
import { documentExtension, takeApart, toFiles } from '../document';
import type { Keeper, Kept } from '../keeper';

const said: Record<NonNullable<Kept>, string> = {
    kept: 'Every step is kept in this browser, and here again after a reload.',
    writing: 'Is being kept in this browser …',
    failed: 'This browser keeps nothing, or has no room: save the document as a file before you leave.',
};

/** Everything that was done as one file. */
export async function saveDocument({ session }: App): Promise<void> {
    const current = session.current;
    if (!current) return;
    await session.finish();
    const files = toFiles(takeApart(session.document()));
    session.history.markSaved();
    await download(`${current.title.replaceAll(' ', '-')}.${documentExtension}`, await zip(files));
}

export function documentSection(app: App, keeper: Keeper): HTMLElement {
    const { session } = app;
    const state = h('p', { class: 'hint', role: 'status' });
    const size = h('p', { class: 'hint' });
    keeper.state.watch((kept) => (state.textContent = kept ? said[kept] : ''));
    session.history.changed.watch(() => {
        if (!session.current) return;
        const { moments } = session.history.contents;
        const characters = [...new Set(moments.map(({ snapshot }) => snapshot))];
        size.textContent = `${moments.length} step${moments.length === 1 ? '' : 's'}, ${bytes(characters.reduce((sum, { glb }) => sum + glb.length, 0))}`;
    });
    return h('section', {}, h('h3', {}, 'Document'), size, state,
        h('div', { class: 'row' }, button('Save document', () => void saveDocument(app), { icon: 'save', title: 'Characters, clips, steps and commands as one file (Ctrl+S)' }),
            button('Close it', () => void keeper.leave(), { title: 'Back to the first screen; what was done stays in this browser' })));
}
