import { useState, type ReactNode } from 'react'
import { bestBranch } from './fit.ts'
import { ChoiceFrame, FieldFrame } from './field-frame.tsx'
import { useFieldIds, useFocusNext, useForm, type FieldProps } from './form-context.ts'
import { NULL, type Json } from './json-tree.ts'
import { adapt, firstValue } from './sample.ts'
import type { Shape } from './shape.ts'

type UnionProps = FieldProps<Extract<Shape, { kind: 'union' }>>

/**
 * Values of branches that are no longer selected, and of fields that were set to null. They are kept until the page is
 * closed.
 */
const keptValues = new WeakMap<Shape, Map<string, Json>>()

function keptValuesOf(shape: Shape): Map<string, Json> {
  const kept = keptValues.get(shape) ?? new Map<string, Json>()
  keptValues.set(shape, kept)
  return kept
}

/** A field for a value with several possible shapes: a branch selector and the selected branch's field. */
export function UnionField(props: UnionProps): ReactNode {
  const { shape, value, pointer, label, canBeAbsent = true } = props
  const { Field } = useForm()
  const { id } = useFieldIds(props)
  const { branch, choose, edit } = useBranch(props)
  const inner = shape.branches[branch]
  const choice = (
    <select
      id={`${id}-branch`}
      className="form-branch"
      aria-label={`${label}: ${shape.discriminator ?? 'type'}`}
      value={branch}
      onChange={(event) => choose(Number(event.target.value))}
    >
      {inner === undefined && <option value={-1}>—</option>}
      {shape.branches.map((each, index) => (
        <option key={each.title} value={index}>
          {each.title}
        </option>
      ))}
    </select>
  )
  return (
    <ChoiceFrame {...props} choice={choice}>
      {inner === undefined ? null : (
        <Field
          // Keyed by branch, since text typed in one branch does not belong to another.
          key={branch}
          isBare
          shape={inner.shape()}
          value={value}
          onChange={edit}
          pointer={pointer}
          label={label}
          canBeAbsent={canBeAbsent}
          hidden={shape.discriminator}
        />
      )}
    </ChoiceFrame>
  )
}

/** Returns the branch to show: the chosen one if it produced the current value, otherwise the best match. */
function useBranch({ shape, value, onChange, pointer }: UnionProps) {
  const [chosen, setChosen] = useState<{ branch: number; value: Json | undefined } | null>(null)
  const found = value === undefined ? -1 : bestBranch(shape, value)
  const branch = chosen !== null && chosen.value === value ? chosen.branch : found
  const kept = keptValuesOf(shape)

  function set(next: number, json: Json | undefined): void {
    setChosen({ branch: next, value: json })
    onChange(json)
  }

  return {
    branch,
    choose(next: number): void {
      const target = shape.branches[next]?.shape()
      if (target === undefined) return
      if (value !== undefined) kept.set(`${branch} ${pointer}`, value)
      set(next, kept.get(`${next} ${pointer}`) ?? adapt(target, value ?? NULL, shape.branches[branch]?.shape()))
    },
    edit: (json: Json | undefined): void => set(branch, json),
  }
}

/** A field whose value may also be null. */
export function NullableField(props: FieldProps<Extract<Shape, { kind: 'nullable' }>>): ReactNode {
  const { shape, value, onChange, pointer, actions, label } = props
  const { Field } = useForm()
  const { id } = useFieldIds(props)
  const focusNext = useFocusNext()
  const isNull = value?.kind === 'null'
  const kept = keptValuesOf(shape)

  function toggle(): void {
    if (!isNull && value !== undefined) kept.set(pointer, value)
    focusNext(`${id}-null`)
    onChange(isNull ? (kept.get(pointer) ?? firstValue(shape.inner())) : NULL)
  }

  const more = (
    <>
      <button
        type="button"
        id={`${id}-null`}
        className="form-null"
        aria-pressed={isNull}
        aria-label={`${label}: null`}
        onClick={toggle}
      >
        null
      </button>
      {actions}
    </>
  )
  if (isNull)
    return (
      <FieldFrame {...props} actions={more}>
        <input id={id} className="form-const" type="text" readOnly value="null" />
      </FieldFrame>
    )
  return <Field {...props} shape={shape.inner()} note={shape.description ?? shape.title} actions={more} />
}
