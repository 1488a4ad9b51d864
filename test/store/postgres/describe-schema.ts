import type { MigrationConnection } from "../../../server/store/postgres/migrate.ts";

/** A table as PostgreSQL's catalog has it, in PostgreSQL's own words. */
export interface TableDescription {
  /** In their order: name, type, collation, nullability, default. */
  columns: string[];
  /** Primary, unique and foreign keys, and checks. */
  constraints: string[];
  /** With their columns in order, and their predicates; not those of constraints. */
  indexes: string[];
  storage: string;
}

/** Describes every table but `migration`. */
export async function describeSchema(db: MigrationConnection): Promise<Record<string, TableDescription>> {
  const tables = await db.run<{ name: string; storage: string }>(
    `select relname as name, coalesce(array_to_string(reloptions, ','), '') as storage from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'migration' order by 1`,
  );
  const lines = await db.run<{ part: "columns" | "constraints" | "indexes"; name: string; line: string }>(
    `select * from (
       select 'columns' as part, attrelid as id, attnum as place,
         concat_ws(' ', attname, format_type(atttypid, atttypmod),
           case when collname <> 'default' then 'collate "' || collname || '"' end,
           case when attnotnull then 'not null' end,
           case when attidentity <> '' then 'identity' end,
           'default ' || pg_get_expr(adbin, adrelid)) as line
       from pg_attribute left join pg_collation c on c.oid = attcollation
         left join pg_attrdef on adrelid = attrelid and adnum = attnum
       where attnum > 0 and not attisdropped
       union all
       select 'constraints', conrelid, 0, pg_get_constraintdef(oid) from pg_constraint
       union all
       select 'indexes', indrelid, 0, pg_get_indexdef(indexrelid) from pg_index
       where not exists (select 1 from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))
     ) lines join (select oid, relname as name from pg_class where relnamespace = 'public'::regnamespace) c on c.oid = id
     order by part, place, line`,
  );
  return Object.fromEntries(
    tables.map(({ name, storage }) => {
      const of = (part: string) =>
        lines.filter((line) => line.name === name && line.part === part).map(({ line }) => line);
      return [name, { columns: of("columns"), constraints: of("constraints"), indexes: of("indexes"), storage }];
    }),
  );
}
