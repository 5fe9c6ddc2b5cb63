import { statSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { ViteDevServer } from 'vite'

const CHECK_INTERVAL_MS = 100

/** The number of checks after which the search ends if the watcher has found no files, or no others. */
const EMPTY_CHECKS = 100
const QUIET_CHECKS = 10

/**
 * Reports files in a folder that are saved while the server starts. Their modules may already be loaded, but the watcher
 * reports only changes to files that it has found, which takes a moment. Returns a function that ends the search early.
 */
export function reportEarlySaves(watcher: ViteDevServer['watcher'], folder: string): () => void {
  const started = Date.now()
  const found = new Set<string>()
  let checksLeft = EMPTY_CHECKS
  const timer = setInterval(check, CHECK_INTERVAL_MS).unref()
  return () => clearInterval(timer)

  function check(): void {
    const before = found.size
    for (const file of listWatched(watcher, folder)) {
      if (found.has(file)) continue
      found.add(file)
      if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= started) watcher.emit('change', file)
    }
    checksLeft = found.size > before ? QUIET_CHECKS : checksLeft - 1
    if (checksLeft === 0) clearInterval(timer)
  }
}

/** Returns the files in a folder that the watcher has found. */
function listWatched(watcher: ViteDevServer['watcher'], folder: string): string[] {
  const entries = Object.entries(watcher.getWatched())
  const inFolder = entries.filter(([path]) => path === folder || path.startsWith(folder + sep))
  const folders = new Set(inFolder.map(([path]) => path))
  return inFolder.flatMap(([path, names]) => names.map((name) => join(path, name))).filter((file) => !folders.has(file))
}
