// How long the page stands still at a character of a million triangles, step by step: the longest task of its thread, of which
// so much was spent on the processor, and how long it waited for the GPU's process, laid out and styled, and copied messages.
// `node bench/page_stalls.mjs [automatic|webgl|webgpu] [TRIANGLES]`, in software as in the tests, by what the page itself chooses or by
// one of the two; one JSON object. LIMBER_PAGE is a page that is built.
import path from 'node:path';
import { webgpu } from '../tests/render/chromium.mjs';
import { drag, drawn, idle, openFile, openStudio, openTab, repeat, screenPlace, until, work } from '../tests/studio/studio.mjs';

const [asked = 'automatic', triangles = '1000000'] = process.argv.slice(2);
const categories = ['-*', 'toplevel', 'blink', 'blink.user_timing', 'v8', 'devtools.timeline', 'disabled-by-default-devtools.timeline', 'gpu'];
// What the events of a trace are for, by their names.
const kinds = {
    gpu_ms: /^CommandBufferProxyImpl::(Wait|Initialize)/,
    layout_ms: /[lL]ayout|[sS]tyle|^Paint$|PrePaint|^Commit$/,
    copy_ms: /^SerializedScriptValueFactory/,
};

/** Milliseconds of each kind within a task, an event's own without those inside it. */
function shares(task, events) {
    const out = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, 0]));
    const inside = events.filter((event) => event !== task && event.ts >= task.ts && event.ts + event.dur <= task.ts + task.dur).sort((a, b) => a.ts - b.ts || b.dur - a.dur);
    const kindOf = ({ name }) => Object.keys(kinds).find((kind) => kinds[kind].test(name));
    const open = [];
    for (const event of inside) {
        while (open.length && open.at(-1).ts + open.at(-1).dur <= event.ts) open.pop();
        const above = open.length ? kindOf(open.at(-1)) : undefined, kind = kindOf(event);
        if (kind) out[kind] += event.dur / 1000;
        if (above) out[above] -= event.dur / 1000;
        open.push(event);
    }
    return Object.fromEntries(Object.entries(out).map(([kind, time]) => [kind, Math.round(time)]));
}

/** The longest task of the thread on which the mark was set, and the most that one took of the processor. */
function longest(trace) {
    const { traceEvents } = JSON.parse(trace);
    const mark = traceEvents.find(({ name, cat }) => name === 'step begins' && cat.includes('user_timing'));
    const events = traceEvents.filter(({ pid, tid, ph, ts }) => pid === mark.pid && tid === mark.tid && ph === 'X' && ts > mark.ts);
    const tasks = events.filter(({ name }) => name === 'RunTask');
    const task = tasks.reduce((most, one) => (one.dur > most.dur ? one : most));
    const round = (time) => Math.round(time / 1000);
    return { longest_ms: round(task.dur), cpu_ms: round(task.tdur), ...shares(task, events), most_cpu_ms: round(Math.max(...tasks.map(({ tdur = 0 }) => tdur))) };
}

const studio = await openStudio(undefined, asked === 'webgl' ? [] : webgpu);
const page = await studio.page({ picture: null, query: `?gpu=${asked}` });
const api = () => page.evaluate(() => window.limber.viewer.graphics.api.value);

/** Until nothing is done any more, and all of the picture stands there. */
async function settled() {
    await idle(page);
    await until(() => page.evaluate(() => window.limber.keeper.state.value !== 'writing'), 'it is not kept');
    await page.waitForTimeout(1200);
    await drawn(page);
}

async function measure(step, act) {
    await settled();
    await studio.browser.startTracing(page, { categories });
    await page.evaluate(() => performance.mark('step begins'));
    await act();
    await settled();
    return { step, ...longest(await studio.browser.stopTracing()) };
}

const name = `still-${triangles}.glb`;
repeat(`limber sample humanoid --seed 3 --pose t --triangles ${triangles} -o ${name}`, work);
await until(async () => asked === 'automatic' || (await api()) === asked, `${asked} does not draw`);
const steps = {
    'the file is opened': () => openFile(page, path.join(work, name)),
    'it is rigged, for the first time': async () => {
        await openTab(page, 'Rig');
        await page.click('.panel button.primary:has-text("Rig")');
    },
    'Animate is opened': () => openTab(page, 'Animate'),
    'it walks': () => page.click('.panel button:text-is("Walk")'),
    'Pose is opened': () => openTab(page, 'Pose'),
    'Weights is opened': () => openTab(page, 'Weights'),
    'weights of another joint': () => page.evaluate(() => window.limber.viewer.select(window.limber.viewer.character.value.jointIndex('leftUpperArm'))),
    'a stroke of the brush': async () => {
        const [x, y] = await screenPlace(page, 'chest');
        await drag(page, [x, y], [x + 20, y + 10]);
    },
    'Check is opened': () => openTab(page, 'Check'),
    'Export is opened': () => openTab(page, 'Export'),
    'a GLB is saved': () => Promise.all([page.waitForEvent('download'), page.click('.panel .target:has(b:text-is("GLB"))')]),
    'the document is saved': () => Promise.all([page.waitForEvent('download'), page.keyboard.press('Control+s')]),
    'undo': () => page.keyboard.press('Control+z'),
};
const runs = [];
for (const [step, act] of Object.entries(steps)) runs.push(await measure(step, act));
console.log(JSON.stringify({ bench: 'page_stalls', asked, api: await api(), triangles: Number(triangles), runs }, null, 2));
await studio.close();
