// Something that is asked for, and is confirmed first: a dialog that says what it is about, does it, and says what became
// of it.
import { html, useCallback, useEffect, useRef, useState } from '../lib.js';
import { newId } from '../api.js';
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

const UNANSWERED = { value: null, error: null, busy: true };

/**
 * Something from the node. `about` is what is asked for: if that is another, the answer before is none any more. If `again`
 * is another, the same is asked anew, and the answer before stands meanwhile, also if the node is away.
 */
export function useAnswer(work, about, again = '') {
  const key = JSON.stringify(about);
  const [state, set] = useState({ key, ...UNANSWERED });
  useEffect(() => {
    const stop = new AbortController();
    const told = (change) => !stop.signal.aborted && set((before) => ({ ...(before.key === key ? before : { key, ...UNANSWERED }), ...change }));
    told({ busy: true });
    Promise.resolve(work(stop.signal)).then(
      (value) => told({ value, error: null, busy: false }),
      (error) => told({ ...(error.isPassing ? {} : { value: null }), error, busy: false }),
    );
    return () => stop.abort();
  }, [key, again]);
  return state.key === key ? state : UNANSWERED;
}

/**
 * An id for a request, so that it is done once, however often it is sent. Once there is a transaction of this id, sending it
 * again would be answered with what became of that one, so then it is another request.
 */
export function useOnce() {
  const id = useRef(newId());
  const renew = () => {
    id.current = newId();
  };
  const send = async (work) => {
    try {
      return await work(id.current);
    } catch (error) {
      if (error.transaction) renew();
      throw error;
    }
  };
  return { send, renew };
}

/**
 * A dialog that asks before it does something. `work` does it, and `done` is told what it gave; `ready` is false while
 * there is something in the way.
 */
export function Act({ title, button, danger, work, done, close, children, wide, ready = true, said }) {
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
