import { createStore } from '@sdk/frontend'
import type { Tone } from './pill.tsx'

/** Something that was done, or could not be: said once, at the edge of the page. */
export interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: Tone
}

const STAY_MS = 5000
const store = createStore<{ now: readonly Toast[] }>({ now: [] })
let last = 0

/** What is said now. A store, to be read with `useSyncExternalStore`. */
export const toasts = { snapshot: (): readonly Toast[] => store.get().now, subscribe: store.subscribe }

/**
 * Says something for a few seconds.
 * @example say('Runs cleared')
 */
export function say(text: string, tone: Tone = 'good'): void {
  const toast = { id: ++last, text, tone }
  store.patch({ now: [...store.get().now.slice(-2), toast] })
  setTimeout(() => store.patch({ now: store.get().now.filter(({ id }) => id !== toast.id) }), STAY_MS)
}
