import type { ReactNode } from 'react'
import { fromPicker, PICKERS, toPicker } from './moment.ts'

interface MomentPickerProps {
  readonly format: string | null
  readonly label: string
  readonly text: string
  readonly onPick: (text: string) => void
}

/** The browser's calendar or clock, beside a text that it may change; nothing for other formats. */
export function MomentPicker({ format, label, text, onPick }: MomentPickerProps): ReactNode {
  const type = format === null ? undefined : PICKERS[format]
  if (format === null || type === undefined) return null
  return (
    <input
      className="form-picker"
      type={type}
      step={type === 'date' ? undefined : 1}
      aria-label={`Pick ${label}`}
      value={toPicker(format, text)}
      onChange={(event) => {
        // Empty while a date is incomplete.
        if (event.target.value !== '') onPick(fromPicker(format, event.target.value, text))
      }}
    />
  )
}
