/** Observes a frozen page in addition to our socket. */
export interface Scene {
  /** A counter that grows while the page runs. */
  readonly ticks: number
  /** Whether the browser kept another, plain WebSocket open. */
  readonly isPlainOpen: boolean
}

/** Runs in the page. */
export function setScene(): Promise<void> {
  const scene = { ticks: 0, plain: new WebSocket(`${location.origin.replace('http', 'ws')}/ws/flood`) }
  setInterval(() => scene.ticks++, 10)
  Object.assign(window, { scene })
  return new Promise((resolve) => scene.plain.addEventListener('open', () => resolve()))
}

/** Runs in the page. */
export function readScene(): Scene {
  const { ticks, plain } = Reflect.get(window, 'scene') as { ticks: number; plain: WebSocket }
  return { ticks, isPlainOpen: plain.readyState === WebSocket.OPEN }
}
