/** Options for `matrix`. */
export interface MatrixOptions<Input, Output, Variant extends string> {
  /** The inputs that each variant is called with. */
  readonly inputs: readonly Input[]
  /**
   * The fields that each variant replaces in an input, such as a model or a prompt. @default one variant, `default`
   * @example variants: { small: { model: 'gpt-5-mini' }, large: { model: 'gpt-5' } }
   */
  readonly variants?: Readonly<Record<Variant, Partial<Input>>>
  /** Returns the score of an output. Higher is better. */
  readonly scores: (output: Output, input: Input) => number | Promise<number>
}

/** The result of `matrix`. */
export interface MatrixResult<Variant extends string = string> {
  readonly route: string
  /** The start time in ISO 8601 format. */
  readonly at: string
  /** The mean score of each variant. */
  readonly scores: Readonly<Record<Variant, number>>
  /** One call per input and variant, in the order of the inputs. */
  readonly cells: readonly MatrixCell[]
}

/** A call of a matrix. */
export interface MatrixCell {
  /** The index of the input. */
  readonly row: number
  readonly variant: string
  /** The input with the fields of the variant. */
  readonly input: unknown
  readonly output: unknown
  readonly score: number
}

/** Calls a route with all variants of each input, one input after the other, and scores the outputs. */
export async function runMatrix<Input, Output, Variant extends string>(
  route: string,
  call: (input: Input) => Promise<Output>,
  options: MatrixOptions<Input, Output, Variant>,
): Promise<MatrixResult<Variant>> {
  const { inputs, variants = { default: {} } as Record<Variant, Partial<Input>>, scores } = options
  const names = Object.keys(variants) as Variant[]
  if (inputs.length === 0 || names.length === 0)
    throw new TypeError(`matrix must get inputs and variants, got ${inputs.length} and ${names.length}`)
  const at = new Date().toISOString()
  const toCell = async (row: number, given: Input, variant: Variant): Promise<MatrixCell> => {
    const isObject = typeof given === 'object' && given !== null
    const input = isObject ? { ...given, ...variants[variant] } : given
    const place = `input ${row} of the variant ${JSON.stringify(variant)}`
    const output = await call(input).catch((cause: unknown) => {
      throw new Error(`${route} failed with ${place}: ${(cause as Error).message}`, { cause })
    })
    const score = await scores(output, input)
    if (!Number.isFinite(score)) throw new TypeError(`scores must return a number, got ${String(score)} for ${place}`)
    return { row, variant, input, output, score }
  }
  const cells: MatrixCell[] = []
  for (const [row, input] of inputs.entries())
    cells.push(...(await Promise.all(names.map((name) => toCell(row, input, name)))))
  return { route, at, scores: toMeans(names, cells), cells }
}

function toMeans<Variant extends string>(names: readonly Variant[], cells: readonly MatrixCell[]) {
  const meanOf = (name: string): number => {
    const own = cells.filter(({ variant }) => variant === name)
    return own.reduce((sum, { score }) => sum + score, 0) / own.length
  }
  return Object.fromEntries(names.map((name) => [name, meanOf(name)])) as Record<Variant, number>
}
