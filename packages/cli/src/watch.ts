import { statSync } from 'node:fs'
import { setTimeout as pass } from 'node:timers/promises'
import type { HotUpdateOptions, Plugin, ViteDevServer } from 'vite'

/** A change of a file that Vite watches. */
export type Change = Pick<HotUpdateOptions, 'file' | 'type'>

/** Vite's watcher drops what changes again within 50 ms, as when a formatter writes after the editor. */
const BLIND_MS = 60

/** How often to look whether a file has been written, in ms. */
const LOOK_EVERY = 4

/**
 * Watches a folder and tells of changes as the server's modules see them. Their reload is ours, not Vite's. To save a file
 * is to empty and then to write it, and on a busy machine there is time between the two: nobody gets to see it empty, and
 * what is written while the watcher is blind is not missed, neither here nor by the page.
 */
export function watchPlugin(folder: string, onChange: (change: Change) => void): Plugin {
  const pending = new Map<string, NodeJS.Timeout>()
  const told = new Map<string, string | null>()
  let server: ViteDevServer | undefined
  return {
    name: 'sdk:watch',
    enforce: 'pre',
    configureServer(vite) {
      server = vite
      vite.watcher.add(folder)
    },
    async hotUpdate({ file, type, modules }) {
      const { environment } = this
      if (type !== 'delete') await written(file)
      if (environment.name !== 'ssr') return undefined
      for (const module of modules) environment.moduleGraph.invalidateModule(module)
      const version = versionOf(file)
      // Told once more because we looked again while the watcher woke up.
      if (type === 'update' && told.get(file) === version) return []
      told.set(file, version)
      lookAgainAt(file, version)
      onChange({ file, type })
      return []
    },
    buildEnd() {
      for (const timer of pending.values()) clearTimeout(timer)
    },
  }

  function lookAgainAt(file: string, before: string | null): void {
    clearTimeout(pending.get(file))
    pending.set(file, setTimeout(lookAgain, BLIND_MS))

    function lookAgain(): void {
      pending.delete(file)
      const now = versionOf(file)
      // One that was deleted is reported by the watcher itself.
      if (before !== null && now !== null && now !== before) server?.watcher.emit('change', file)
    }
  }
}

/** Waits until a file is not empty, but not for long: it may be meant to be. */
async function written(file: string): Promise<void> {
  const end = performance.now() + BLIND_MS
  while (versionOf(file)?.endsWith('-0') === true && performance.now() < end) await pass(LOOK_EVERY)
}

function versionOf(file: string): string | null {
  try {
    const { mtimeNs, size } = statSync(file, { bigint: true })
    return `${mtimeNs}-${size}`
  } catch {
    return null // there is no such file
  }
}
