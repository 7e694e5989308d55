// Something that is asked for, and is confirmed first: a dialog that says what it is about, does it, and says what became
// of it.
import { html, useCallback, useEffect, useState } from '../lib.js';
import { Dialog } from './dialog.js';
import { Refused, say } from './notice.js';

/** The state of one thing that is being asked of the node: `run` does it, `busy` while it is, `error` why it was not. */
export function useAsking() {
  const [state, set] = useState({ busy: false, error: null });
  const run = useCallback(async (work) => {
    set({ busy: true, error: null });
    try {
      const found = await work();
      set({ busy: false, error: null });
      return found;
    } catch (error) {
      if (error.name !== 'AbortError') set({ busy: false, error });
      return undefined;
    }
  }, []);
  return { ...state, run };
}

/** Something from the node, asked for anew when one of `keys` is another; the one before is shown meanwhile. */
export function useAnswer(work, keys) {
  const [state, set] = useState({ value: null, error: null, busy: true });
  useEffect(() => {
    const stop = new AbortController();
    set((before) => ({ ...before, busy: true }));
    Promise.resolve(work(stop.signal)).then(
      (value) => !stop.signal.aborted && set({ value, error: null, busy: false }),
      (error) => !stop.signal.aborted && set((before) => ({ value: error.isPassing ? before.value : null, error, busy: false })),
    );
    return () => stop.abort();
  }, keys);
  return state;
}

/**
 * A dialog that asks before it does something. `work` does it, and `done` is told what it gave; `ready` is false while
 * there is something in the way.
 */
export function Confirm({ title, button, danger, work, done, close, children, wide, ready = true, said }) {
  const { busy, error, run } = useAsking();
  const act = async () => {
    const found = await run(work);
    if (found === undefined) return;
    if (said) say(said, 'ok');
    close();
    done?.(found);
  };
  return html`
    <${Dialog} title=${title} close=${close} wide=${wide}>
      <div class="stack">
        ${children}
        <${Refused} error=${error} />
        <div class="buttons">
          <button onClick=${close}>Leave it</button>
          <button class=${danger ? 'danger' : 'primary'} disabled=${busy || !ready} onClick=${act}>${busy ? 'One moment…' : button}</button>
        </div>
      </div>
    <//>`;
}
