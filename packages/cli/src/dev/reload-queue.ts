/** Options of `createReloadQueue`. */
export interface ReloadQueueOptions<T, Rest> {
  /** Loads everything; `changed` are the files that changed since the last time. */
  readonly load: (changed: readonly string[]) => Promise<T>
  /** Called with each load as it begins. */
  readonly onLoad: (next: Promise<T>) => void
  /** Loads what was left out of `load`; null where nothing was, or where a newer load has begun. */
  readonly loadRest: (loaded: T, isCurrent: () => boolean) => Promise<Rest | null>
  /** The wait before `loadRest`: several saves may come at once, and a save is often followed by a call. */
  readonly pause: () => Promise<unknown>
  /** Joins both, to be shown; not called where a file has changed since. */
  readonly complete: (loaded: T, rest: Rest) => T
}

/** Loads again after changes. */
export interface ReloadQueue<T> {
  /** The first load. */
  start(): Promise<T>
  /** A file changed. */
  fileChanged(file: string): void
}

/** One load at a time, each with all the changes that came before it. */
export function createReloadQueue<T, Rest>(options: ReloadQueueOptions<T, Rest>): ReloadQueue<T> {
  const { load, onLoad, loadRest, pause, complete } = options
  const changed = new Set<string>()
  let last: Promise<T> | undefined

  return {
    start() {
      return track(load([]))
    },
    fileChanged(file) {
      if (last === undefined) return
      changed.add(file)
      const previous = last
      // Loads again after a failure, too.
      void track(previous.then(next, next))

      function next(): Promise<T> {
        const files = [...changed]
        changed.clear()
        return files.length === 0 ? previous : load(files)
      }
    },
  }

  function track(loading: Promise<T>): Promise<T> {
    last = loading
    onLoad(loading)
    // Where the load failed there is no rest, and `onLoad` has reported it.
    finish(loading).catch(() => {})
    return loading
  }

  async function finish(loading: Promise<T>): Promise<void> {
    const loaded = await loading
    const isCurrent = (): boolean => last === loading
    await pause()
    const rest = isCurrent() ? await loadRest(loaded, isCurrent) : null
    if (rest !== null && isCurrent()) onLoad(Promise.resolve().then(() => complete(loaded, rest)))
  }
}
