-- The core rules of the audit in DuckDB's SQL: delivered twice, delivered from nowhere, out of order, after expiry.
-- $log stands for the Parquet files, $headers for the log's headers. One row for each rule with its number of findings.
with calls as (
  select *,
    greatest(start_us, max(start_us) over earlier) as late,
    least(end_us, min(end_us) over later) as early,
    min(case when call in ('MQCMIT', 'MQBACK', 'MQDISC') then seq end) over later as end_seq
  from read_parquet($log)
  window
    earlier as (partition by qmgr, conn order by seq rows between unbounded preceding and 1 preceding),
    later as (partition by qmgr, conn order by seq rows between 1 following and unbounded following)
),
bounded as (select *, least(coalesce(late, start_us), coalesce(early, end_us)) as lo,
                      greatest(coalesce(late, start_us), coalesce(early, end_us)) as hi from calls),
ends as (select qmgr, conn, seq as end_seq, call as end_call, hi as end_hi from bounded
         where call in ('MQCMIT', 'MQBACK', 'MQDISC') and comp_code = 0),
moves as (
  select m.*,
    case when call in ('MQPUT', 'MQPUT1') then 'put'
         when options & 48 <> 0 then 'sight' else 'take' end as role,
    case when options & 2 = 0 then hi when end_call in ('MQCMIT', 'MQDISC') then end_hi end as done_hi,
    case when options & 2 <> 0 and end_call = 'MQBACK' then end_hi end as undone_hi
  from bounded m left join ends using (qmgr, conn, end_seq)
  where call in ('MQPUT', 'MQPUT1', 'MQGET', 'CALLBACK') and comp_code < 2
),
told as (
  select *,
    count(*) filter (role = 'put') over message as n_puts,
    min(lo) filter (role = 'put') over message as put_lo,
    max(hi + expiry::bigint * 100000) filter (role = 'put' and expiry > 0) over message as expires_us,
    max(done_hi) filter (role = 'put') over message as visible_hi,
    count(*) filter (role = 'take' and done_hi is not null) over message as n_final,
    max(case when role = 'sight' then hi when role = 'take' then coalesce(undone_hi, 4611686018427387904) end)
      over (message order by lo, hi rows between unbounded preceding and 1 preceding) as released
  from moves
  window message as (partition by qmgr, queue, msg_id)
),
queues as (select qmgr, queue, MsgDeliverySequence as delivery from read_json($headers) where header = 'queue'),
ranked as (
  select *, case when delivery = 'FIFO' then -1 else priority end as rank,
    case when n_puts = 1 and visible_hi is not null and role <> 'put' then greatest(visible_hi, coalesce(released, visible_hi)) end
      as gap_from,
    role = 'take' and options & 4096 = 0 and options & 32768 = 0 and match_options = 0 as asked
  from told left join queues using (qmgr, queue)
),
ranks as (select distinct qmgr, queue, rank from ranked where asked),
placed as (
  select qmgr, queue, rank, 'fifo' as way, gap_from as place, lo as value, true as offer from ranked where gap_from is not null
  union all
  select qmgr, queue, rank, 'fifo', put_lo, hi, false from ranked where asked and n_puts = 1
  union all
  select o.qmgr, o.queue, r.rank, 'higher', gap_from, lo, true from ranked o join ranks r using (qmgr, queue)
    where gap_from is not null and o.rank > r.rank and o.delivery = 'PRIORITY'
  union all
  select qmgr, queue, rank, 'higher', lo, hi, false from ranked where asked and delivery = 'PRIORITY'
),
swept as (
  select *, max(case when offer then value end)
    over (partition by qmgr, queue, rank, way order by place, offer rows between unbounded preceding and current row) as best
  from placed
)
select 'nowhere' as rule, count(*) as found from told where role <> 'put' and n_puts = 0
union all select 'twice', count(*) from told where role = 'take' and n_puts > 0 and n_final > n_puts
union all select 'late', count(*) from told where role <> 'put' and lo > expires_us + 1000000
union all select way, count(*) from swept where not offer and best > value group by way
order by rule;
