/** What stands beside a socket of ours in a page that is frozen. */
export interface Scene {
  /** Grows while the page lives. */
  readonly ticks: number
  /** Did the browser leave another WebSocket open, a plain one? */
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
