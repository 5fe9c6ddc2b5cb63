import { useState, type ReactNode } from 'react'
import { bestBranch } from './fit.ts'
import { ChoiceFrame } from './field-frame.tsx'
import { useFieldIds, useForm, type FieldProps } from './form-context.ts'
import { NULL, type Json } from './json-tree.ts'
import { adapt } from './sample.ts'
import type { Shape, UnionShape } from './shape.ts'

type UnionProps = FieldProps<Extract<Shape, { kind: 'union' }>>

const branchValues = new WeakMap<UnionShape, Map<string, Json>>()

/** One of several shapes: a choice of the branch, and the branch. */
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
          // Keyed by branch: text typed in one branch does not belong to another.
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

interface BranchState {
  readonly branch: number
  choose(next: number): void
  edit(next: Json | undefined): void
}

/** The branch to show: the chosen one as long as the value is from there, else the one that the value fits best. */
function useBranch({ shape, value, onChange, pointer }: UnionProps): BranchState {
  const [chosen, setChosen] = useState<{ branch: number; value: Json | undefined } | null>(null)
  const found = value === undefined ? -1 : bestBranch(shape, value)
  const branch = chosen !== null && chosen.value === value ? chosen.branch : found
  const kept = branchValues.get(shape) ?? new Map<string, Json>()
  branchValues.set(shape, kept)

  function set(next: number, json: Json | undefined): void {
    setChosen({ branch: next, value: json })
    onChange(json)
  }

  return {
    branch,
    choose(next) {
      const target = shape.branches[next]?.shape()
      if (target === undefined) return
      if (value !== undefined) kept.set(`${branch} ${pointer}`, value)
      set(next, kept.get(`${next} ${pointer}`) ?? adapt(target, value ?? NULL, shape.branches[branch]?.shape()))
    },
    edit: (json) => set(branch, json),
  }
}
