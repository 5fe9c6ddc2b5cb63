const LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** The log of the primary process. It has the format of the workers' logs, but loads none of the server's code. */
export interface PrimaryLog {
  info(message: string, fields?: object): void
  error(message: string, fields?: object): void
}

/** Creates a log that writes JSON lines from `LOG_LEVEL` on. */
export function createPrimaryLog(): PrimaryLog {
  const least = process.env['LOG_LEVEL']?.trim().toLowerCase() || 'info'
  const write = (level: (typeof LEVELS)[number], message: string, fields: object = {}): void => {
    if (least === 'silent' || LEVELS.indexOf(level) < LEVELS.findIndex((one) => one === least)) return
    const entry = { time: new Date().toISOString(), level, message, worker: 'primary', ...fields }
    process.stdout.write(`${JSON.stringify(entry)}\n`)
  }
  return {
    info: (message, fields) => write('info', message, fields),
    error: (message, fields) => write('error', message, fields),
  }
}
