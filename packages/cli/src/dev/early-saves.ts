import { statSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { ViteDevServer } from 'vite'

/** The delay before the first check, in ms. Each later delay is longer, up to the maximum. */
const FIRST_DELAY_MS = 100
const DELAY_FACTOR = 1.2
const MAX_DELAY_MS = 2_000

/** How long to search, in ms. A busy machine may take many seconds to find the files. */
const SEARCH_MS = 60_000

/**
 * Reports files in a folder that are saved while the server starts. Their modules may already be loaded, but the watcher
 * reports only changes to files that it has found, which takes a moment. Returns a function that ends the search early.
 */
export function reportEarlySaves(watcher: ViteDevServer['watcher'], folder: string): () => void {
  const started = Date.now()
  const found = new Set<string>()
  const onAdd = (file: string): void => void found.add(file) // a new file, which the watcher itself reports
  watcher.on('add', onAdd)
  let timer = checkAfter(FIRST_DELAY_MS)
  return end

  function checkAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      check()
      if (Date.now() - started > SEARCH_MS) end()
      else timer = checkAfter(Math.min(ms * DELAY_FACTOR, MAX_DELAY_MS))
    }, ms).unref()
  }

  function check(): void {
    for (const file of listWatched(watcher, folder)) {
      if (found.has(file)) continue
      found.add(file)
      if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= started) watcher.emit('change', file)
    }
  }

  function end(): void {
    clearTimeout(timer)
    watcher.off('add', onAdd)
  }
}

/** Returns the files in a folder that the watcher has found. */
function listWatched(watcher: ViteDevServer['watcher'], folder: string): string[] {
  const entries = Object.entries(watcher.getWatched())
  const inFolder = entries.filter(([path]) => path === folder || path.startsWith(folder + sep))
  const folders = new Set(inFolder.map(([path]) => path))
  return inFolder.flatMap(([path, names]) => names.map((name) => join(path, name))).filter((file) => !folders.has(file))
}
