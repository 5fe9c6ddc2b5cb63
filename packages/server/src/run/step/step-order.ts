import { unref } from '../../platform/unref-timer.ts'

/** How long a step waits for stored steps before it that the handler has not reached, in ms. */
const MAX_GAP_MS = 1_000

/** A stored step whose promise is not settled yet. */
interface OrderedStep {
  /** Whether the handler has called the step. */
  isReached: boolean
  /** Settles the step. Undefined until its result is known. */
  settle?: () => void
}

/**
 * The order in which the steps, sleeps and waits of a run settle: the order in which they were stored. The handler
 * therefore takes the same path each time it runs, even if it uses `Promise.race`. Steps that new code no longer
 * reaches are skipped after a moment.
 */
export class StepOrder {
  readonly #steps: Map<string, OrderedStep>
  readonly #skipped = new Set<string>()
  readonly #onSkipped: () => void
  /** The number of steps that wait for their turn. */
  #held = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Whether a step has just been settled. */
  #isReacting = false

  /** Creates the order of these stored steps. `onSkipped` is called if the handler does not reach some of them in time. */
  constructor(stored: Iterable<string>, onSkipped: () => void) {
    this.#steps = new Map(Array.from(stored, (name) => [name, { isReached: false }]))
    this.#onSkipped = onSkipped
  }

  /** Marks a step that the handler has called. */
  reach(name: string): void {
    const step = this.#steps.get(name)
    if (step !== undefined) step.isReached = true
    this.#skipped.delete(name)
    this.#settle()
  }

  /** Removes a step that has no turn: the beginning of a sleep or a wait. */
  pass(name: string): void {
    this.#steps.delete(name)
    this.#skipped.delete(name)
    this.#settle()
  }

  /** Adds a step that is about to be stored, unless it already was. */
  add(name: string): void {
    if (!this.#steps.has(name)) this.#steps.set(name, { isReached: true })
  }

  /** Resolves when all steps before this one are settled or skipped. */
  async turn(name: string): Promise<void> {
    const step = this.#steps.get(name)
    if (step === undefined) return
    this.#held += 1
    await new Promise<void>((resolve) => {
      step.settle = resolve
      this.#settle()
    })
  }

  /** Returns the stored steps that the handler has not reached. */
  unreached(): string[] {
    return [...this.#skipped, ...[...this.#steps].flatMap(([name, { isReached }]) => (isReached ? [] : [name]))]
  }

  /** Settles the next step. The handler reacts to it before the one after it is settled. */
  #settle(): void {
    clearTimeout(this.#timer)
    if (this.#isReacting) return
    const [name, step] = this.#steps.entries().next().value ?? []
    if (name === undefined || step === undefined) return
    if (step.settle === undefined) {
      if (!step.isReached && this.#held > 0) this.#timer = unref(setTimeout(() => this.#skip(), MAX_GAP_MS))
      return
    }
    this.#steps.delete(name)
    this.#held -= 1
    this.#isReacting = true
    step.settle()
    setImmediate(() => {
      this.#isReacting = false
      this.#settle()
    })
  }

  #skip(): void {
    for (const [name, { isReached }] of this.#steps) {
      if (isReached) break
      this.#steps.delete(name)
      this.#skipped.add(name)
    }
    this.#onSkipped()
    this.#settle()
  }
}
