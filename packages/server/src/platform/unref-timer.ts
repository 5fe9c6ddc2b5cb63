/** Lets the process exit while a timer is active. Numeric timers never keep a process alive. */
export function unref<Timer extends ReturnType<typeof setTimeout>>(timer: Timer): Timer {
  if (typeof timer === 'object') timer.unref()
  return timer
}
