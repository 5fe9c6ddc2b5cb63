/** Options for `createReloadQueue`. */
export interface ReloadQueueOptions<T, Rest> {
  /** Loads everything; `changed` are the files that changed since the last time. */
  readonly load: (changed: readonly string[]) => Promise<T>
  /** Called with each load when it starts. */
  readonly onLoad: (next: Promise<T>) => void
  /** Loads the rest that `load` left out; null if nothing is left, or if a newer load has started. */
  readonly loadRest: (loaded: T, isCurrent: () => boolean) => Promise<Rest | null>
  /** The delay before `loadRest`: several files may be saved at once, and a save is often followed by a call. */
  readonly pause: () => Promise<unknown>
  /** Combines both; not called if a file has changed since. */
  readonly complete: (loaded: T, rest: Rest) => T
}

/** Reloads after changes. */
export interface ReloadQueue<T> {
  /** Starts the first load. */
  start(): Promise<T>
  /** Reloads after a file has changed. */
  fileChanged(file: string): void
}

/** Creates a queue that runs one load at a time, each with all changes before it. */
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
      // Also after a failure.
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
    // A failed load has no rest, and `onLoad` has reported the failure.
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
