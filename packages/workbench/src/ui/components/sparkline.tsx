import type { ReactNode } from 'react'

interface SparklineProps {
  /** The values, oldest first. */
  readonly values: readonly number[]
  readonly label: string
  readonly width?: number
  readonly height?: number
}

/** A line chart without axes that shows how a value has changed. */
export function Sparkline({ values, label, width = 96, height = 22 }: SparklineProps): ReactNode {
  const points = toPoints(values, width, height)
  const last = points.at(-1)
  return (
    <svg className="sparkline" role="img" aria-label={label} width={width} height={height}>
      <polyline points={points.map((point) => point.join(',')).join(' ')} />
      {last !== undefined && <circle cx={last[0]} cy={last[1]} r={2} />}
    </svg>
  )
}

/** Converts values to points, with the lowest at the bottom and the highest at the top. Leaves room for the line. */
function toPoints(values: readonly number[], width: number, height: number): (readonly [x: number, y: number])[] {
  const lowest = Math.min(...values)
  const span = Math.max(...values) - lowest
  const step = (width - 6) / Math.max(1, values.length - 1)
  return values.map((value, index) => {
    const part = span === 0 ? 0.5 : (value - lowest) / span
    return [roundTenth(3 + index * step), roundTenth(height - 3 - part * (height - 6))] as const
  })
}

function roundTenth(value: number): number {
  return Math.round(value * 10) / 10
}
