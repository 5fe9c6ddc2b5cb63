import { createStore } from '@sdk/frontend'
import type { Tone } from './pill.tsx'

/** A short message at the edge of the page that reports whether an action succeeded. */
export interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: Tone
}

const TOAST_MS = 5000
const toastStore = createStore<{ now: readonly Toast[] }>({ now: [] })
let last = 0

/** The visible toasts, as a store for `useSyncExternalStore`. */
export const toasts = { snapshot: (): readonly Toast[] => toastStore.get().now, subscribe: toastStore.subscribe }

/**
 * Shows a toast for a few seconds.
 * @example showToast('Runs cleared')
 */
export function showToast(text: string, tone: Tone = 'good'): void {
  const toast = { id: ++last, text, tone }
  toastStore.patch({ now: [...toastStore.get().now.slice(-2), toast] })
  setTimeout(() => toastStore.patch({ now: toastStore.get().now.filter(({ id }) => id !== toast.id) }), TOAST_MS)
}
