/** Lets the process end while a timer runs. Where timers are only numbers, none keeps it alive. */
export function unref<Timer extends ReturnType<typeof setTimeout>>(timer: Timer): Timer {
  if (typeof timer === 'object') timer.unref()
  return timer
}
