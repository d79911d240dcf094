// What was done stays: in the browser over a reload after any step, with its undo; in a file that another browser opens;
// beside what another tab does. A browser that keeps nothing says so and asks.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { drawn, exported, finish, idle, openFile, openStudio, openTab, repeat, screenPlace, test, until, violations, work } from './studio.mjs';

const studio = await openStudio();
let page = await studio.page({ width: 900, height: 640 });
const state = (read, given) => page.evaluate(read, given);
const dialogs = [];
page.on('dialog', async (dialog) => {
    dialogs.push(dialog.type());
    await dialog.accept();
});

/** What is there: the character's bytes, the pose on show, the steps, pins, the log. */
async function everything() {
    const seen = await state(async () => {
        const { session, viewer, hand } = window.limber;
        const { current, history } = session;
        const hash = await crypto.subtle.digest('SHA-256', current.glb);
        return {
            file: current.file, bytes: [...new Uint8Array(hash)].join(), steps: history.contents.moments.map(({ step }) => step), at: history.contents.at,
            joints: viewer.character.value.joints.map(({ node }) => [...node.matrix.elements].map((value) => Math.round(1e5 * value) + 0)),
            pins: [...hand.pins.value], log: session.log.value.map(({ line }) => line), corrections: [...current.corrections], clip: viewer.player.clip?.name ?? null,
        };
    });
    return seen;
}

async function reload() {
    await until(() => state(() => document.documentElement.classList.contains('ready') && window.limber.keeper.state.value === 'kept'), 'it is not kept');
    dialogs.length = 0;
    await page.reload();
    await page.waitForSelector('html.ready', { state: 'attached' });
    await idle(page);
    await drawn(page);
}

// A reload takes seconds: each step has its own where there is time.
const long = Boolean(process.env.LIMBER_LONG);

/** A step, and a reload after it: all is as it was, undo too. */
async function survives(step, act, reloads = long) {
    await test(reloads ? `a reload after ${step}` : step, async () => {
        await act();
        await state(() => window.limber.hand.settled());
        await idle(page);
        await state(() => window.limber.session.finish());
        await state(() => window.limber.viewer.player.play(false));
        await drawn(page);
        const before = await everything();
        if (!reloads) return;
        await reload();
        assert.deepEqual(dialogs, [], 'the browser asked');
        assert.deepEqual(await everything(), before);
    });
}

repeat('limber sample humanoid --seed 4 --pose t --triangles 2000 -o mine.obj', work);
await survives('opening a mesh', () => openFile(page, path.join(work, 'mine.obj')));
await survives('rigging it', () => page.click('.guide button:text-is("Rig and walk")'));
await survives('putting a joint elsewhere', async () => {
    await openTab(page, 'Rig');
    await drawn(page);
    const [x, y] = await screenPlace(page, 'leftLowerArm');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 8, y, { steps: 4 });
    await page.mouse.up();
    await until(() => state(() => window.limber.session.log.value.some(({ line }) => line.includes('--marker'))), 'nothing was put');
});
await survives('a clip', async () => {
    await openTab(page, 'Animate');
    await page.click('.panel button:text-is("Wave")');
});
await survives('a pose and a pin', async () => {
    await openTab(page, 'Pose');
    await page.click('.panel button:text-is("Rest pose")');
    await page.evaluate(() => window.limber.hand.settled());
    await drawn(page);
    const [x, y] = await screenPlace(page, 'rightHand');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 20, y - 30, { steps: 4 });
    await page.mouse.up();
    await until(() => state(() => window.limber.session.history.step === 'pose rightHand'), 'it was not posed');
    await page.check('.panel label:has-text("Stays where it is") input');
    await until(() => state(() => window.limber.session.history.step === 'hold rightHand'), 'it was not pinned');
}, true);
await test('undo goes over the reload, pins and poses too', async () => {
    for (const [step, pin] of [['pose rightHand', false], ['rest pose', false], ['animate wave', false], ['rig', false]]) {
        await page.keyboard.press('Control+z');
        await idle(page);
        assert.equal(await state(() => window.limber.session.history.step), step);
        assert.equal(await state(() => window.limber.hand.pins.value.get('rightHand')), pin, step);
    }
    for (let k = 0; k < 4; ++k) {
        await page.keyboard.press('Control+Shift+z');
        await idle(page);
    }
    assert.equal(await state(() => window.limber.hand.pins.value.get('rightHand')), true);
});
await survives('keys', async () => {
    await openTab(page, 'Pose');
    await page.click('.keys button:text-is("New clip of keys")');
    await until(() => state(() => window.limber.session.history.step.startsWith('key a new clip')), 'there are no keys');
});
await survives('a pose as a clip', async () => {
    await openTab(page, 'Pose');
    await page.click('.panel button:text-is("Right onto left")');
    await state(() => window.limber.hand.settled());
    await page.getByLabel('Name', { exact: true }).fill('both hands up');
    await page.click('.panel button:text-is("Keep as a clip")');
    await until(() => state(() => window.limber.session.history.step === 'pose: both hands up'), 'it is not kept');
});
await survives('paint', async () => {
    await openTab(page, 'Weights');
    await page.click('.panel [role=treeitem]:has-text("leftUpperArm")');
    await page.click('.panel label:has-text("Paint the chosen joint")');
    await drawn(page);
    const [x, y] = await screenPlace(page, 'spine');
    await page.mouse.move(x - 6, y);
    await page.mouse.down();
    await page.mouse.move(x + 6, y, { steps: 3 });
    await page.mouse.up();
    await until(() => state(() => window.limber.session.history.step === 'paint leftUpperArm'), 'it was not painted');
}, true);

let saved;
await test('the document is one file, which another browser goes on with', async () => {
    const before = await everything();
    await openTab(page, 'Body');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('.panel button:text-is("Save document")')]);
    assert.equal(download.suggestedFilename(), 'mine.limber');
    saved = fs.readFileSync(await download.path());
    const files = stored(saved);
    // The commands in it make the characters in it.
    const folder = fs.mkdtempSync(path.join(work, 'shell-'));
    fs.copyFileSync(path.join(work, 'mine.obj'), path.join(folder, 'mine.obj'));
    const script = files.get('commands.sh').toString();
    fs.writeFileSync(path.join(folder, 'commands.sh'), script);
    repeat(`PATH="$(dirname "$LIMBER_COMMAND"):$PATH" sh commands.sh`, folder);
    assert.ok(script.includes('limber weights paint'), script);
    assert.equal([...script.matchAll(/^limber animate .*[.]keys -o /gm)].length, 2, script);
    const made = fs.readdirSync(folder).filter((name) => files.has(name) && name.endsWith('.glb'));
    assert.ok(made.length >= 5);
    for (const name of made) assert.ok(files.get(name).equals(fs.readFileSync(path.join(folder, name))), name);
    const first = page;
    page = await studio.page({ width: 900, height: 640 });
    await openFile(page, 'mine.limber', saved);
    await drawn(page);
    assert.deepEqual(await everything(), before);
    await page.keyboard.press('Control+z');
    await idle(page);
    assert.equal(await state(() => window.limber.session.history.step), before.steps.at(-2));
    await page.close();
    page = first;
});

await test('a document that is damaged is told and loses nothing', async () => {
    const before = await state(() => window.limber.session.current.file);
    const text = stored(saved).get('document.json').toString();
    const spoiled = (change) => Buffer.from(saved).fill(change(text).padEnd(text.length), saved.indexOf(text), saved.indexOf(text) + text.length);
    for (const [bytes, said] of [
        [saved.subarray(0, saved.length - 40), /zip archive/],
        [spoiled((json) => json.slice(0, 200)), /document\.json/],
        [spoiled((json) => json.replace('"version":1', '"version":9')), /expected "version": 1.*found 9/],
        [spoiled((json) => json.replace(/"at":\d+/, '"at":99')), /expected "at"/],
        [spoiled((json) => json.replace(`"file":"${before}"`, '"file":"none"')), /names none/],
    ]) {
        await openFile(page, 'bad.limber', bytes);
        assert.match(await page.textContent('.notice'), said);
        assert.equal(await state(() => window.limber.session.current.file), before);
    }
});

if (long) await test('a tab that is duplicated has a document of its own', async () => {
    const [other] = await Promise.all([page.context().waitForEvent('page'), page.evaluate(() => void window.open(location.href))]);
    await other.waitForSelector('html.ready', { state: 'attached' });
    await until(() => other.evaluate(() => window.limber.keeper.state.value === 'kept'), 'the second tab keeps nothing');
    const ids = [await state(() => sessionStorage.getItem('limber document')), await other.evaluate(() => sessionStorage.getItem('limber document'))];
    assert.notEqual(ids[0], ids[1]);
    assert.equal(await other.evaluate(() => window.limber.session.history.step), await state(() => window.limber.session.history.step));
    await other.close();
});

await test('what was closed is offered on the first screen, and can be forgotten', async () => {
    const before = await everything();
    await openTab(page, 'Body');
    await page.click('.panel button:text-is("Close it")');
    await page.waitForSelector('html.ready.nobody', { state: 'attached' });
    await page.waitForSelector('.recent li');
    assert.deepEqual(await violations(page), []);
    // What the duplicated tab left.
    for (let left = await page.locator('.recent li').count(); left > 1; --left) {
        await page.click('.recent button[aria-label="Forget mine"] >> nth=0');
        await until(async () => (await page.locator('.recent li').count()) === left - 1, 'it is not forgotten');
    }
    await page.click('.recent li > button >> nth=0');
    await idle(page);
    await drawn(page);
    assert.deepEqual((await everything()).steps, before.steps);
    assert.equal((await everything()).bytes, before.bytes);
    await reload();
    assert.equal((await everything()).bytes, before.bytes, 'a document that was opened again is lost by a reload');
});

await test('a browser that keeps nothing says so, and asks before it is left', async () => {
    const context = await studio.browser.newContext({ viewport: { width: 900, height: 640 } });
    await context.addInitScript(() => (IDBFactory.prototype.open = () => {
        throw new DOMException('not here', 'SecurityError');
    }));
    await context.addInitScript(() => Object.defineProperty(window, 'sessionStorage', { get: () => {
        throw new DOMException('not here', 'SecurityError');
    } }));
    page = await context.newPage();
    page.on('dialog', async (dialog) => {
        dialogs.push(dialog.type());
        await dialog.dismiss();
    });
    await page.goto(`${studio.url}#sample=hand:1`);
    await page.waitForSelector('html.ready', { state: 'attached' });
    await openTab(page, 'Rig');
    await page.click('.panel button.primary');
    await idle(page);
    await openTab(page, 'Body');
    await until(async () => (await page.textContent('.panel')).includes('keeps nothing'), 'nothing is said');
    assert.equal(await leave(), true, 'a rig is lost without a word');
    await exported(page);
    assert.equal(await state(() => window.limber.session.history.unsaved), false, 'what was exported is not saved');
    await openTab(page, 'Pose');
    await drawn(page);
    await page.click('.panel button:text-is("Rest pose")');
    await until(async () => (await state(() => window.limber.session.history.step)) === 'rest pose', 'it was not posed');
    assert.equal(await leave(), true, 'a pose is lost without a word');
});

/** Asks to leave; gives whether the browser asked back. */
async function leave() {
    dialogs.length = 0;
    await page.evaluate(() => setTimeout(() => location.reload(), 0));
    await page.waitForTimeout(500);
    return dialogs.includes('beforeunload');
}

await test('a large character is kept without the page waiting for its bytes', async () => {
    page = await studio.page({ before: () => {
        const { put } = IDBObjectStore.prototype;
        window.copied = 0;
        IDBObjectStore.prototype.put = function (value, ...rest) {
            window.copied = Math.max(window.copied, value?.byteLength ?? 0);
            return put.call(this, value, ...rest);
        };
    } });
    await state(() => window.limber.session.sample('humanoid', 3, ['--triangles', '400000']));
    const before = await everything(), size = await state(() => window.limber.session.current.glb.length);
    await until(() => state(() => window.limber.keeper.state.value === 'kept'), 'it is not kept');
    const copied = await state(() => window.copied);
    assert.ok(size > 8e6 && copied < 5e6, `${copied} of ${size} bytes at once`);
    await reload();
    assert.equal((await everything()).bytes, before.bytes);
});

/** The files of an archive that packs nothing. */
function stored(bytes) {
    const files = new Map();
    for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50;) {
        const [size, label] = [bytes.readUInt32LE(at + 18), bytes.readUInt16LE(at + 26)];
        const name = bytes.toString('utf8', at + 30, at + 30 + label);
        files.set(name, bytes.subarray(at + 30 + label, at + 30 + label + size));
        at += 30 + label + size;
    }
    return files;
}

await test('nobody complained, and nobody else was asked', async () => {
    assert.deepEqual(studio.complaints, []);
    assert.deepEqual(studio.strangers, []);
});

await studio.close();
finish();
