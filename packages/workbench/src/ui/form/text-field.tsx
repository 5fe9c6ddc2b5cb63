import { useState, type ReactNode } from 'react'
import { FieldFrame } from './field-frame.tsx'
import { useFieldIds, type FieldProps } from './form-context.ts'
import { jsonText, type Json } from './json-tree.ts'
import type { Shape } from './shape.ts'
import { fromPicker, PICKERS, toPicker } from './moment.ts'

type StringShape = Extract<Shape, { kind: 'string' }>

const INPUT_MODES: Readonly<Record<string, 'email' | 'url'>> = { email: 'email', uri: 'url', url: 'url' }

/** A field for a string. It never uses the input types `email` and `url`, since browsers trim spaces in them. */
export function TextField(props: FieldProps<StringShape>): ReactNode {
  const { shape, value, onChange } = props
  const { control } = useFieldIds(props)
  const text = textOf(value)
  const [wasLong] = useState(text.includes('\n'))
  const { format } = shape
  const example = shape.examples.find((each) => each.kind === 'string')
  const shared = {
    ...control,
    value: text,
    placeholder: example?.kind === 'string' ? example.value : undefined,
    spellCheck: false,
    onChange: (event: { target: { value: string } }) => onChange(jsonText(event.target.value)),
  }
  const isLine = (format !== null || shape.schema['maxLength'] !== undefined) && !shape.isLong
  return (
    <FieldFrame {...props} hint={format ?? undefined}>
      <div className="form-line">
        {isLine && !wasLong && !text.includes('\n') ? (
          <input type="text" autoComplete="off" inputMode={INPUT_MODES[format ?? ''] ?? 'text'} {...shared} />
        ) : (
          <textarea rows={shape.isLong ? 4 : 1} {...shared} />
        )}
        <MomentPicker {...props} />
      </div>
    </FieldFrame>
  )
}

function textOf(value: Json | undefined): string {
  return value?.kind === 'string' ? value.value : ''
}

/** Returns whether an input can display a string. Browsers would change `\r`, NUL and lone surrogates. */
export function isShowable(text: string): boolean {
  return !/[\r\0]|\p{Surrogate}/u.test(text)
}

/** The browser's date or time picker next to a text field. Renders nothing for formats without a picker. */
function MomentPicker({ shape: { format }, value, onChange, label }: FieldProps<StringShape>): ReactNode {
  const type = format === null ? undefined : PICKERS[format]
  if (format === null || type === undefined) return null
  const text = textOf(value)
  return (
    <input
      className="form-picker"
      type={type}
      step={type === 'date' ? undefined : 1}
      aria-label={`Pick ${label}`}
      value={toPicker(format, text)}
      onChange={(event) => {
        // The value is empty while a date is incomplete.
        if (event.target.value !== '') onChange(jsonText(fromPicker(format, event.target.value, text)))
      }}
    />
  )
}
