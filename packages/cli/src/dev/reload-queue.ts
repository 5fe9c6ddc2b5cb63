/** Options for `createReloadQueue`. */
export interface ReloadQueueOptions<T, Rest> {
  /** Loads the code, possibly without some parts. `changed` lists the files that have changed since the last load. */
  readonly load: (changed: readonly string[]) => Promise<T>
  /** Called when a load starts, with its promise. */
  readonly onLoad: (next: Promise<T>) => void
  /** Loads the parts that `load` left out. Resolves with null if nothing is left, or if a newer load has started. */
  readonly loadRest: (loaded: T, isCurrent: () => boolean) => Promise<Rest | null>
  /** Waits before `loadRest`: several files may be saved at the same time, and a save is often followed by a call. */
  readonly pause: () => Promise<unknown>
  /** Combines the results of `load` and `loadRest`. Not called if a file has changed in the meantime. */
  readonly complete: (loaded: T, rest: Rest) => T
}

/** A queue that reloads code after file changes. */
export interface ReloadQueue<T> {
  /** Starts the first load. */
  start(): Promise<T>
  /** Queues a reload after a file has changed. */
  fileChanged(file: string): void
}

/** Creates a queue that runs one load at a time. Each load includes all changes since the previous load. */
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
      // The next load runs even if the previous one failed.
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
    // After a failed load, there is nothing left to load, and `onLoad` has received the error.
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
