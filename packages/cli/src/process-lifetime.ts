/** Resolves with the first Ctrl-C or `SIGTERM`; the second one exits immediately. */
export function untilStopped(): Promise<'SIGINT' | 'SIGTERM'> {
  return new Promise((resolve) => {
    let isStopping = false
    const stop = (signal: 'SIGINT' | 'SIGTERM'): void => {
      if (isStopping) process.exit(130)
      isStopping = true
      resolve(signal)
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}

/** Waits for a close, at most `ms` ms; returns whether it finished in time. */
export async function closeWithin(ms: number, close: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([close().then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns whether a process with this id is running. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // it is running as another user
  }
}
