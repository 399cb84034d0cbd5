// Which names a query reads, before resolution: for the graph of datasets.
#pragma once

#include <string>
#include <vector>

#include "plan/tree.h"

namespace lakebed::run {

// Every name in FROM position, subqueries included; names of CTEs of the query are left out.
std::vector<std::vector<std::string>> names_read(const plan::RelationPtr& query);

// One thing that a query reads: a name, or a table function as text, "read_files(/data/in)".
struct ReadSource {
  std::vector<std::string> name;  // empty: a function
  std::string function;
  bool streaming = false;
};
std::vector<ReadSource> sources_read(const plan::RelationPtr& query);

// True where the query calls a table function of that name (compared without case), subqueries
// included.
bool calls_table_function(const plan::RelationPtr& query, const std::string& name);

}  // namespace lakebed::run
