/** Resolves with the signal on the first Ctrl-C or `SIGTERM`. A second signal exits the process immediately. */
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

/** Calls `close`, waits at most `ms` milliseconds for it to finish, and returns whether it finished in time. */
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
    return (error as NodeJS.ErrnoException).code === 'EPERM' // the process is running as another user
  }
}

/** Keeps the process running if the reader of its output exits, such as a program that stores the logs. */
export function ignoreOutputErrors(): void {
  process.stdout.on('error', () => {})
}
