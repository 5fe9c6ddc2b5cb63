import type { ReactNode } from 'react'
import { FieldFrame } from './field-frame.tsx'
import { useFieldIds, type FieldProps } from './form-context.ts'
import { printJson } from './json-text.ts'
import { isSameJson, type Json } from './json-tree.ts'
import type { Shape } from './shape.ts'

const MAX_RADIOS = 4

/** A field for choosing one of the values listed in a schema. The values can have any type. */
export function ChoiceField(props: FieldProps<Extract<Shape, { kind: 'choice' }>>): ReactNode {
  const { options } = props.shape
  return options.length <= MAX_RADIOS ? <Radios {...props} /> : <Select {...props} />
}

function Radios(props: FieldProps<Extract<Shape, { kind: 'choice' }>>): ReactNode {
  const { shape, value, onChange } = props
  const { id, control } = useFieldIds(props)
  return (
    <FieldFrame {...props}>
      <div
        className="form-radios"
        role="radiogroup"
        aria-labelledby={`${id}-label`}
        aria-describedby={control['aria-describedby']}
        aria-required={control['aria-required']}
      >
        {shape.options.map((option, index) => (
          <label key={printJson(option)}>
            <input
              type="radio"
              id={index === 0 ? id : undefined}
              name={id}
              aria-label={optionLabel(option)}
              checked={value !== undefined && isSameJson(option, value)}
              onChange={() => onChange(option)}
            />
            {optionLabel(option)}
          </label>
        ))}
      </div>
    </FieldFrame>
  )
}

function Select(props: FieldProps<Extract<Shape, { kind: 'choice' }>>): ReactNode {
  const { shape, value, onChange } = props
  const { control } = useFieldIds(props)
  const index = value === undefined ? -1 : shape.options.findIndex((option) => isSameJson(option, value))
  return (
    <FieldFrame {...props} hint={`${shape.options.length} choices`}>
      <select {...control} value={index} onChange={(event) => onChange(shape.options[Number(event.target.value)])}>
        {index < 0 && <option value={-1}>—</option>}
        {shape.options.map((option, at) => (
          <option key={printJson(option)} value={at}>
            {optionLabel(option)}
          </option>
        ))}
      </select>
    </FieldFrame>
  )
}

/**
 * Returns the label for a value. A string has no quotes unless it could be mistaken for a value of a different type.
 */
function optionLabel(json: Json): string {
  const text = printJson(json, '')
  return json.kind === 'string' && !/^(?:|true|false|null|[\d[{"-].*)$/s.test(json.value) ? json.value : text
}

/** A field for a boolean. */
export function BooleanField(props: FieldProps): ReactNode {
  const { value, onChange } = props
  const { control } = useFieldIds(props)
  const isOn = value?.kind === 'boolean' && value.value
  return (
    <FieldFrame {...props}>
      <div className="form-switch">
        <input
          {...control}
          type="checkbox"
          checked={isOn}
          onChange={(event) => onChange({ kind: 'boolean', value: event.target.checked })}
        />
        <code aria-hidden="true">{value === undefined ? 'not set' : String(isOn)}</code>
      </div>
    </FieldFrame>
  )
}

/** A field with a constant value. */
export function ConstField(props: FieldProps & { readonly only: Json }): ReactNode {
  const { value, onChange, only } = props
  const { control } = useFieldIds(props)
  return (
    <FieldFrame {...props} hint="constant">
      {value === undefined ? (
        <button id={control.id} type="button" className="form-add" onClick={() => onChange(only)}>
          + {optionLabel(only)}
        </button>
      ) : (
        <input {...control} className="form-const" type="text" readOnly value={printJson(value, '')} />
      )}
    </FieldFrame>
  )
}
