/** What `createReloads` takes. */
export interface ReloadOptions<T> {
  /** Loads everything; `changed` are the files that changed since the last time. */
  readonly load: (changed: readonly string[]) => Promise<T>
  /** Told of each load as it begins. */
  readonly show: (next: Promise<T>) => void
}

/** Loads again after changes. */
export interface Reloads<T> {
  /** The first load. */
  begin(): Promise<T>
  /** A file changed. */
  touch(file: string): void
}

/** One load at a time, each with all the changes that came before it. */
export function createReloads<T>({ load, show }: ReloadOptions<T>): Reloads<T> {
  const changed = new Set<string>()
  let last: Promise<T> | undefined

  return {
    begin() {
      last = load([])
      show(last)
      return last
    },
    touch(file) {
      if (last === undefined) return
      changed.add(file)
      const previous = last
      // A load that failed for a reason of our own must not be the last one.
      last = previous.then(next, next)
      show(last)

      function next(): Promise<T> {
        const files = [...changed]
        changed.clear()
        return files.length === 0 ? previous : load(files)
      }
    },
  }
}
