import { statSync } from 'node:fs'
import type { DevEnvironment, HotUpdateOptions, Plugin } from 'vite'

/** A change of a file that Vite watches. */
export type Change = Pick<HotUpdateOptions, 'file' | 'type'>

/** Vite's watcher drops what changes again within 50 ms, as when a formatter writes after the editor. */
const BLIND_MS = 60

/** Watches a folder and tells of changes as the server's modules see them. Their reload is ours, not Vite's. */
export function watchPlugin(folder: string, onChange: (change: Change) => void): Plugin {
  const pending = new Map<string, NodeJS.Timeout>()
  return {
    name: 'sdk:watch',
    configureServer(vite) {
      vite.watcher.add(folder)
    },
    hotUpdate({ file, type, modules }) {
      const { environment } = this
      if (environment.name !== 'ssr') return undefined
      for (const module of modules) environment.moduleGraph.invalidateModule(module)
      report(environment, { file, type })
      return []
    },
    buildEnd() {
      for (const timer of pending.values()) clearTimeout(timer)
    },
  }

  function report(environment: DevEnvironment, change: Change): void {
    const { file } = change
    const before = versionOf(file)
    clearTimeout(pending.get(file))
    pending.set(file, setTimeout(lookAgain, BLIND_MS))
    onChange(change)

    function lookAgain(): void {
      pending.delete(file)
      if (before === null || versionOf(file) === before) return
      environment.moduleGraph.onFileChange(file)
      report(environment, { file, type: 'update' })
    }
  }
}

function versionOf(file: string): string | null {
  try {
    const { mtimeNs, size } = statSync(file, { bigint: true })
    return `${mtimeNs}-${size}`
  } catch {
    return null // deleted, which the watcher reports by itself
  }
}
