/** Colours, or none. */
export type Paint = Record<keyof typeof CODES, (text: string) => string>

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

/** Paints text for a terminal, or leaves it as it is. */
export function createPaint(isColoured: boolean): Paint {
  const brush =
    ([open, close]: readonly [number, number]) =>
    (text: string): string =>
      isColoured ? `\u001B[${open}m${text}\u001B[${close}m` : text
  return {
    bold: brush(CODES.bold),
    dim: brush(CODES.dim),
    red: brush(CODES.red),
    green: brush(CODES.green),
    yellow: brush(CODES.yellow),
    cyan: brush(CODES.cyan),
  }
}
