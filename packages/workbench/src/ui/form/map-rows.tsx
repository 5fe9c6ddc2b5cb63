import type { ReactNode } from 'react'
import { toPointer } from '@sdk/protocol'
import { freeName, removeMemberAt, renameMemberAt, setMember, setMemberAt } from './edits.ts'
import { RemoveButton } from './field-frame.tsx'
import { fieldId, useForm } from './form-context.ts'
import type { JsonMember, JsonObject } from './json-tree.ts'
import { firstValue } from './sample.ts'
import { shapeOf, type ObjectShape } from './shape.ts'
import { memberLabel } from './titles.ts'

interface MapRowsProps {
  readonly object: JsonObject
  readonly shape: ObjectShape
  readonly pointer: string
  readonly onChange: (next: JsonObject) => void
}

const ANY_MEMBER = shapeOf(true, {})

/** The members of an object that have no field of their own: each a name and a value. */
export function MapRows({ object, shape, pointer, onChange }: MapRowsProps): ReactNode {
  const { properties, rest } = shape
  const names = new Set(properties.map(({ name }) => name))
  const isExtra = ({ name }: JsonMember, index: number): boolean =>
    !names.has(name) || object.members.findLastIndex((other) => other.name === name) !== index
  const extras = object.members
    .map((member, index) => ({ member, index }))
    .filter(({ member, index }) => isExtra(member, index))
  return (
    <>
      {extras.map(({ member, index }) => (
        // Keyed by index, as the name changes while it is typed.
        <MapRow key={index} {...{ object, shape, pointer, onChange, member, index }} />
      ))}
      {typeof rest === 'function' && (
        <div className="form-adds">
          <button
            type="button"
            className="form-add"
            onClick={() => onChange(setMember(object, freeName(object), { value: firstValue(rest()) }))}
          >
            + member
          </button>
        </div>
      )}
    </>
  )
}

function MapRow(props: MapRowsProps & { member: JsonMember; index: number }): ReactNode {
  const { object, shape, pointer, onChange, member, index } = props
  const { Field, id } = useForm()
  const isDouble = object.members.some((other, at) => at !== index && other.name === member.name)
  const place = `${pointer}${toPointer([member.name])}`
  const rowId = `${fieldId(id, pointer)}-name-${index}`
  return (
    <div className="form-map-row">
      <div className="form-map-name">
        <label htmlFor={rowId}>Name</label>
        <input
          id={rowId}
          type="text"
          autoComplete="off"
          spellCheck={false}
          aria-invalid={isDouble || undefined}
          aria-describedby={`${rowId}-fault`}
          value={member.name}
          onChange={(event) => onChange(renameMemberAt(object, index, event.target.value))}
        />
        {isDouble && (
          <p className="form-fault" id={`${rowId}-fault`}>
            this name is used twice: the last one counts
          </p>
        )}
      </div>
      <Field
        shape={typeof shape.rest === 'function' ? shape.rest() : ANY_MEMBER}
        value={member.value}
        onChange={(next) =>
          onChange(next === undefined ? removeMemberAt(object, index) : setMemberAt(object, index, next))
        }
        pointer={isDouble ? `${place}#${index}` : place}
        label={memberLabel(member.name)}
        canBeAbsent={false}
        actions={
          <RemoveButton label={memberLabel(member.name)} onClick={() => onChange(removeMemberAt(object, index))} />
        }
      />
    </div>
  )
}
